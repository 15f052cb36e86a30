package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmDriverFactory;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandboxd.vm.HostDriver;
import dev.sallyport.sandboxd.vm.HostSettings;
import java.util.Map;

/** The driver {@code oci}, for a process that is root. */
public final class OciDriverFactory implements VmDriverFactory {

    /** For the service loader. */
    public OciDriverFactory() {}

    @Override
    public String name() {
        return "oci";
    }

    @Override
    public VmDriver create(Map<String, String> settings) throws VmException, InterruptedException {
        return HostDriver.open(new OciKind(), HostSettings.of(settings));
    }
}
