package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmDriverFactory;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandboxd.vm.HostDriver;
import dev.sallyport.sandboxd.vm.HostSettings;
import java.util.Map;

/** The driver {@code qemu}, for a process that is root. */
public final class QemuDriverFactory implements VmDriverFactory {

    /** For the service loader. */
    public QemuDriverFactory() {}

    @Override
    public String name() {
        return "qemu";
    }

    @Override
    public VmDriver create(Map<String, String> settings) throws VmException, InterruptedException {
        return HostDriver.open(new QemuKind(), HostSettings.of(settings));
    }
}
