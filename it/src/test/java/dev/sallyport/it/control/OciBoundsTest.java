package dev.sallyport.it.control;

import org.junit.jupiter.api.Tag;

/** Guests of the driver {@code oci}. */
@Tag("long")
class OciBoundsTest extends SandboxBoundsSuite {

    @Override
    String driver() {
        return "oci";
    }
}
