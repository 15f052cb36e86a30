package dev.sallyport.ctl.context;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A server, and the key for it.
 *
 * @param device whether the key was made by a sign-in of this machine, and so ends with it
 * @param caCert PEM file of the authorities to trust instead of the JDK's, or null
 * @param insecureHttp whether the key may go to another machine unencrypted
 */
public record Context(
        URI server, String key, boolean device, @Nullable Path caCert, boolean insecureHttp) {

    /** Without the key. */
    @Override
    public String toString() {
        return "Context[" + server + "]";
    }
}
