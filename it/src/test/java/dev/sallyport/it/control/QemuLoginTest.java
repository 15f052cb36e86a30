package dev.sallyport.it.control;

import org.junit.jupiter.api.Tag;

/** Guests of the driver {@code qemu}, whose kernel comes from the packages in {@code TEST_SANDBOX_KERNEL}, else by APT. */
@Tag("long")
class QemuLoginTest extends SandboxLoginSuite {

    @Override
    String driver() {
        return "qemu";
    }
}
