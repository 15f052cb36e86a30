package dev.sallyport.compare.scenario;

import dev.sallyport.compare.load.KeepAlive;
import dev.sallyport.compare.peer.Commands;
import dev.sallyport.compare.peer.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cells in which other programs make the load. */
final class Tools {

    private static final Pattern QUERIES = Pattern.compile("Queries per second:\\s+([0-9.]+)");
    private static final Pattern LOST = Pattern.compile("Queries lost:\\s+(\\d+)");
    private static final Pattern REQUESTS = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
    private static final long SLACK_SECONDS = 60;

    private Tools() {}

    static Map<String, Double> dns(Bench bench) throws IOException, InterruptedException {
        need("dnsperf");
        Running running = Objects.requireNonNull(bench.subject().running());
        Path names = running.work().resolve("queries");
        StringBuilder queries = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            queries.append("h").append(i).append(".bench.test A\n");
        }
        Files.writeString(names, queries);
        long seconds = Math.max(1, bench.settings().window().toSeconds());
        String command = "dnsperf -s 127.0.0.1 -p " + running.dnsPort() + " -d " + names + " -c 16 -T 1 -q 200 -l ";
        Commands.shell(
                command + Math.max(1, bench.settings().warmUp().toSeconds()),
                Map.of(),
                bench.settings().warmUp().toSeconds() + SLACK_SECONDS);
        double cpu = bench.subject().cpuSeconds();
        String output = Commands.shell(command + seconds, Map.of(), seconds + SLACK_SECONDS);
        double rate = number(QUERIES, output);
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("per_second", rate);
        values.put("cpu_us", (bench.subject().cpuSeconds() - cpu) * 1e6 / (rate * seconds));
        values.put("lost", number(LOST, output));
        values.put("rss_mib", bench.subject().rssMib());
        return values;
    }

    static Map<String, Double> generator(Bench bench) throws IOException, InterruptedException {
        need("wrk");
        Settings settings = bench.settings();
        Subject subject = bench.subject();
        long seconds = Math.max(1, settings.window().toSeconds());
        Map<String, Double> values = new LinkedHashMap<>();
        try (KeepAlive load = new KeepAlive(bench.dialler(), subject.secure(), settings.connections(), "/bytes/1024")) {
            load.open();
            load.run(settings.warmUp());
            values.put("own_per_second", load.run(Duration.ofSeconds(seconds)).rate());
        }
        String output = Commands.shell(
                "wrk -t1 -c" + settings.connections() + " -d" + seconds + "s https://localhost:"
                        + subject.site().securePort() + "/bytes/1024",
                Map.of(),
                seconds + SLACK_SECONDS);
        values.put("wrk_per_second", number(REQUESTS, output));
        values.put("share", values.get("own_per_second") / values.get("wrk_per_second"));
        return values;
    }

    private static void need(String tool) throws IOException {
        if (Commands.find(tool) == null) {
            throw new IOException(tool + " is not there");
        }
    }

    private static double number(Pattern pattern, String output) throws IOException {
        Matcher matcher = pattern.matcher(output);
        if (!matcher.find()) {
            throw new IOException("no " + pattern.pattern() + " in: " + output.strip());
        }
        return Double.parseDouble(matcher.group(1));
    }
}
