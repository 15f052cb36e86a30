package dev.sallyport.it.control;

import org.junit.jupiter.api.Tag;

/** Guests of the driver {@code oci}. */
@Tag("long")
class OciLoginTest extends SandboxLoginSuite {

    @Override
    String driver() {
        return "oci";
    }
}
