package dev.sallyport.it.control;

import org.junit.jupiter.api.Tag;

/** Agents in guests of the driver {@code oci}. */
@Tag("long")
class AgentScenarioTest extends AgentScenarioSuite {

    @Override
    String driver() {
        return "oci";
    }
}
