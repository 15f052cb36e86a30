package dev.sallyport.it.control;

import dev.sallyport.testsupport.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/**
 * Two guests of an account that stock clients of SSH log in to, in a machine inside this one. Needs root, what the driver
 * needs, and an image in {@code TEST_SANDBOX_IMAGE}.
 */
@Timeout(600)
@TestInstance(Lifecycle.PER_CLASS)
abstract class SandboxClients {

    private static final int PIECE = 4 << 20;

    ScenarioMachine machine;
    String vm;
    ScenarioClient client;
    ScenarioClient otherClient;

    /** The driver whose guests they are. */
    abstract String driver();

    @BeforeAll
    void open() throws Exception {
        Tools.require("script", "stty", "scp", "sftp", "ssh-agent", "ssh-add", "ssh-keyscan", "bash", "tar");
        machine = ScenarioMachine.open(driver());
        ScenarioGuests guests = new ScenarioGuests(machine);
        machine.signUp("first@example.com");
        machine.api("POST", "/v1/egress/rules", "{\"host\": \"" + SandboxMachine.API + "\"}");
        vm = guests.create("box");
        String other = guests.create("other");
        guests.until(vm, "ready");
        guests.until(other, "ready");
        client = new ScenarioClient(machine, vm);
        otherClient = new ScenarioClient(machine, other);
    }

    @AfterAll
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    /** Whether the guest has a program. */
    boolean has(String program) throws Exception {
        return client.attempt("ssh", client.target(), "command -v " + program).code() == 0;
    }

    /** A file of some MiB that nothing makes smaller. */
    Path random(String name) throws Exception {
        byte[] bytes = new byte[PIECE];
        new Random(name.hashCode()).nextBytes(bytes);
        return Files.write(machine.folder().resolve(name), bytes);
    }
}
