package dev.sallyport.it.control;

import org.junit.jupiter.api.Tag;

/** Agents in guests of the driver {@code qemu}, whose kernel comes from the packages in {@code TEST_SANDBOX_KERNEL}, else by APT. */
@Tag("long")
class QemuAgentTest extends AgentScenarioSuite {

    @Override
    String driver() {
        return "qemu";
    }
}
