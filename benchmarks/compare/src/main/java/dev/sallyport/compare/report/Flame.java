package dev.sallyport.compare.report;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** Reads a recording of Flight Recorder: by layer, by method, and what was allocated. */
public final class Flame {

    private static final int TOP = 30;
    private static final int CPU_TIME_SAMPLES = 25;

    /** Whose frame is first found from the top decides the layer. */
    private static final List<String[]> LAYERS = List.of(
            new String[] {"io.netty.internal.tcnative", "TLS (BoringSSL)"},
            new String[] {"io.netty.handler.ssl", "TLS (Netty)"},
            new String[] {"sun.security", "TLS (JDK)"},
            new String[] {"io.netty.channel.epoll", "system calls and epoll"},
            new String[] {"io.netty.channel.unix", "system calls and epoll"},
            new String[] {"io.netty.handler.codec", "codecs (Netty)"},
            new String[] {"io.netty", "channels and buffers (Netty)"},
            new String[] {"dev.sallyport.core", "engine"},
            new String[] {"dev.sallyport.toolkit", "toolkit"},
            new String[] {"dev.sallyport", "transforms and the rest of ours"});

    private Flame() {}

    /** Options of the JVM that is to be recorded. */
    public static String options(Path recording, Duration delay) {
        String event = Runtime.version().feature() >= CPU_TIME_SAMPLES
                ? ",jdk.CPUTimeSample#enabled=true,jdk.CPUTimeSample#throttle=5ms"
                : "";
        return "-XX:StartFlightRecording=settings=profile,dumponexit=true,delay=" + Math.max(1, delay.toSeconds())
                + "s,filename=" + recording + event;
    }

    /** Tables in Markdown. */
    public static String summary(Path recording) throws IOException {
        Map<String, Integer> layers = new HashMap<>();
        Map<String, Integer> methods = new HashMap<>();
        Map<String, Long> allocated = new HashMap<>();
        Map<String, Integer> kinds = new TreeMap<>();
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                String kind = event.getEventType().getName();
                if (sample(kind) && event.getStackTrace() != null) {
                    kinds.merge(kind, 1, Integer::sum);
                    List<RecordedFrame> frames = event.getStackTrace().getFrames();
                    layers.merge(layer(frames), 1, Integer::sum);
                    methods.merge(method(frames.getFirst()), 1, Integer::sum);
                } else if (kind.equals("jdk.ObjectAllocationSample")) {
                    allocated.merge(event.getClass("objectClass").getName(), event.getLong("weight"), Long::sum);
                }
            }
        }
        return "samples: " + kinds + "\n\n" + table("layer", layers) + "\n" + table("method", methods) + "\n"
                + table("allocated class", allocated);
    }

    private static boolean sample(String kind) {
        return Runtime.version().feature() >= CPU_TIME_SAMPLES
                ? kind.equals("jdk.CPUTimeSample")
                : kind.equals("jdk.ExecutionSample") || kind.equals("jdk.NativeMethodSample");
    }

    private static String layer(List<RecordedFrame> frames) {
        for (RecordedFrame frame : frames) {
            String type = frame.getMethod().getType().getName();
            for (String[] layer : LAYERS) {
                if (type.startsWith(layer[0])) {
                    return layer[1];
                }
            }
        }
        return "the JVM";
    }

    private static String method(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
    }

    private static <N extends Number> String table(String title, Map<String, N> counts) {
        double all = counts.values().stream().mapToDouble(Number::doubleValue).sum();
        StringBuilder table = new StringBuilder("| share | " + title + " |\n|---|---|\n");
        counts.entrySet().stream()
                .sorted((one, two) -> Double.compare(
                        two.getValue().doubleValue(), one.getValue().doubleValue()))
                .limit(TOP)
                .forEach(entry -> table.append(String.format(
                        "| %.1f %% | `%s` |%n", entry.getValue().doubleValue() * 100 / all, entry.getKey())));
        return table.toString();
    }
}
