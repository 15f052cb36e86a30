package dev.sallyport.testsupport;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** A network namespace of this machine, which is deleted when it is closed. */
public final class NetworkNamespace implements AutoCloseable {

    private final String name;

    private NetworkNamespace(String name) {
        this.name = name;
    }

    /**
     * Makes one; skips the test where that is not possible. Needs root and ip.
     *
     * @param prefix of its name, which the process's id follows: at most five characters
     */
    public static NetworkNamespace add(String prefix) throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Tools.require("ip");
        String name = prefix + ProcessHandle.current().pid();
        assumeTrue(exit("ip", "netns", "add", name) == 0, "needs network namespaces");
        return new NetworkNamespace(name);
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Runs ip in it, with these arguments, separated by spaces. */
    public void ip(String arguments) throws IOException, InterruptedException {
        Tools.run(Stream.concat(Stream.of("ip", "-n", name), Stream.of(arguments.split(" ", -1)))
                .toList());
    }

    /** The command that runs a command in it. */
    public List<String> command(List<String> command) {
        return Stream.concat(Stream.of("ip", "netns", "exec", name), command.stream())
                .toList();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        exit("ip", "netns", "del", name);
    }

    private static int exit(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
