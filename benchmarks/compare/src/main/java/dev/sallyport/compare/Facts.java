package dev.sallyport.compare;

import dev.sallyport.compare.peer.Commands;
import dev.sallyport.compare.report.Results;
import dev.sallyport.compare.scenario.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/** What a reader must know about where the figures come from. */
final class Facts {

    private Facts() {}

    /** @throws IOException if the run began with other settings: its figures would not belong together */
    static void record(Results results, Path root, Settings settings, boolean quick)
            throws IOException, InterruptedException {
        String before = results.facts().get("settings");
        if (before != null && !before.equals(text(settings))) {
            throw new IOException(results.folder() + " has samples of other settings: " + before
                    + " (expected: the same, or another --run)");
        }
        results.fact("date", Instant.now().toString());
        results.fact(
                "reliable",
                quick ? "no: a quick run, to see that all works" : "yes, on a machine that does nothing else");
        results.fact("processors", Integer.toString(processors()));
        results.fact("processor", processor());
        results.fact("memory", line(Path.of("/proc/meminfo"), "MemTotal:"));
        results.fact(
                "load average at the start",
                Files.readString(Path.of("/proc/loadavg")).strip());
        results.fact("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        results.fact("jdk", System.getProperty("java.vm.name") + " " + Runtime.version());
        results.fact("commit", said("git -C '" + root + "' describe --always --dirty"));
        results.fact("settings", text(settings));
    }

    /** Without the number of rounds, of which there may be more later. */
    private static String text(Settings settings) {
        return "warm-up " + settings.warmUp().toSeconds() + " s, windows of "
                + settings.window().toSeconds() + " s, " + settings.connections() + " connections, bodies of "
                + settings.transferBytes() + " bytes, " + settings.tunnels() + " tunnels, " + settings.streams()
                + " streams of events, " + settings.idle().toSeconds() + " s of rest";
    }

    /** All of the machine's: this process has pinned itself to some. */
    private static int processors() throws IOException {
        return (int) Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                .filter(line -> line.startsWith("processor"))
                .count();
    }

    private static String processor() throws IOException {
        return line(Path.of("/proc/cpuinfo"), "model name");
    }

    private static String line(Path file, String start) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }

    private static String said(String command) throws InterruptedException {
        try {
            return Commands.shell(command, Map.of(), 10).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
