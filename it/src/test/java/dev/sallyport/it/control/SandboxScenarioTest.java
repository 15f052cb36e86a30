package dev.sallyport.it.control;

import org.junit.jupiter.api.Tag;

/** Guests of the driver {@code oci}. */
@Tag("long")
class SandboxScenarioTest extends SandboxScenarioSuite {

    @Override
    String driver() {
        return "oci";
    }
}
