package dev.sallyport.it.control;

import org.junit.jupiter.api.Tag;

/** Guests of the driver {@code oci}. */
@Tag("long")
class OciForwardingTest extends SandboxForwardingSuite {

    @Override
    String driver() {
        return "oci";
    }
}
