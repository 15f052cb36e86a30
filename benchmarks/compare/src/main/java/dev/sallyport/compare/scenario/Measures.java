package dev.sallyport.compare.scenario;

import dev.sallyport.compare.load.Load;
import dev.sallyport.compare.load.Tally;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** One window of load, with what it cost. */
public final class Measures {

    private Measures() {}

    /** Values of all the metrics that a window can have; tables show those that the scenario names. */
    public static Map<String, Double> window(Subject subject, Load load, Duration window)
            throws IOException, InterruptedException {
        double cpu = subject.cpuSeconds();
        double own = ownCpuSeconds();
        Tally tally = load.measure(window);
        double used = subject.cpuSeconds() - cpu;
        double ownUsed = ownCpuSeconds() - own;
        Map<String, Double> values = new LinkedHashMap<>();
        values.put(Metric.RATE.name(), tally.rate());
        values.put(Metric.BYTES.name(), tally.bytes() / tally.seconds() / 1e9);
        values.put(Metric.P50.name(), tally.percentile(50));
        values.put(Metric.P99.name(), tally.percentile(99));
        values.put(Metric.P999.name(), tally.percentile(99.9));
        values.put(Metric.ERRORS.name(), (double) tally.errors());
        values.put("reconnects", (double) tally.reconnects());
        values.put(Metric.RSS.name(), subject.rssMib());
        if (tally.operations() > 0) {
            values.put(Metric.CPU.name(), used * 1e6 / tally.operations());
        }
        if (tally.bytes() > 0) {
            values.put(Metric.CPU_BYTES.name(), used * 1e9 / tally.bytes());
        }
        values.put("proxy_busy", used / tally.seconds());
        values.put("load_busy", ownUsed / tally.seconds());
        return values;
    }

    /** Of this JVM, in which load and origin are. */
    private static double ownCpuSeconds() {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() / 1e9;
    }
}
