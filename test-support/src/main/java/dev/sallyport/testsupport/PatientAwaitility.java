package dev.sallyport.testsupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives Awaitility the {@link Patience} of all tests, where they name no other.
 *
 * <p>Registered as a service: active where {@code junit.jupiter.extensions.autodetection.enabled} is true.
 */
public final class PatientAwaitility implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Patience.usual());
    }
}
