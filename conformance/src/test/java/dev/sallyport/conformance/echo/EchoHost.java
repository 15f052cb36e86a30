package dev.sallyport.conformance.echo;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process for a network namespace of its own: all carriers against origins at an address that is not a loopback one. */
final class EchoHost {

    /** How its lines begin, in between of those of the log. */
    static final String SAYS = "echo: ";

    private EchoHost() {}

    /** @param arguments a folder, the address, the settings of the proxy, and which share of the combinations is tried */
    public static void main(String[] arguments) throws Exception {
        InetAddress address = InetAddress.getByName(arguments[1]);
        int runs = 0;
        for (Carrier carrier : Carrier.all()) {
            Path folder = Files.createTempDirectory(Path.of(arguments[0]), "run");
            EchoCorpus corpus = new EchoCorpus(folder, address, arguments[2], Integer.parseInt(arguments[3]));
            try (EchoRun run = corpus.start(carrier)) {
                corpus.wholes(run);
                runs += run.runs().values().stream().mapToInt(Integer::intValue).sum();
                say(run.leaks());
                say(run.refused().stream()
                        .map(place -> carrier + ": refused in " + place)
                        .toList());
            }
        }
        say(List.of("runs: " + runs));
        System.exit(0);
    }

    private static void say(List<String> lines) {
        lines.forEach(line -> System.out.writeBytes((SAYS + line + "\n").getBytes(StandardCharsets.UTF_8)));
        System.out.flush();
    }
}
