package dev.sallyport.server.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.ToLongFunction;

/** The resources that the process uses, under the names of Prometheus's Java client library. */
final class ProcessMeters {

    private static final AttributeKey<String> AREA = AttributeKey.stringKey("area");
    private static final AttributeKey<String> COLLECTOR = AttributeKey.stringKey("gc");
    private static final Attributes HEAP = Attributes.of(AREA, "heap");
    private static final Attributes NON_HEAP = Attributes.of(AREA, "nonheap");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;

    private ProcessMeters() {}

    /** Values are read only when metrics are collected. */
    static void register(Meter meter) {
        memory(meter);
        collections(meter);
        threads(meter);
        process(meter);
    }

    private static void memory(Meter meter) {
        memory(meter, "used", "Memory in use by the JVM.", MemoryUsage::getUsed);
        memory(meter, "committed", "Memory that the JVM has taken from the system.", MemoryUsage::getCommitted);
        memory(meter, "max", "Memory that the JVM may take; -1 for no limit.", MemoryUsage::getMax);
    }

    private static void memory(Meter meter, String what, String description, ToLongFunction<MemoryUsage> reading) {
        meter.gaugeBuilder("jvm.memory." + what)
                .ofLongs()
                .setUnit("By")
                .setDescription(description)
                .buildWithCallback(to -> {
                    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
                    to.record(reading.applyAsLong(memory.getHeapMemoryUsage()), HEAP);
                    to.record(reading.applyAsLong(memory.getNonHeapMemoryUsage()), NON_HEAP);
                });
    }

    private static void collections(Meter meter) {
        meter.counterBuilder("jvm.gc.collections")
                .setDescription("Garbage collections.")
                .buildWithCallback(to -> ManagementFactory.getGarbageCollectorMXBeans()
                        .forEach(collector -> to.record(
                                Math.max(0, collector.getCollectionCount()),
                                Attributes.of(COLLECTOR, collector.getName()))));
        meter.counterBuilder("jvm.gc.collection")
                .ofDoubles()
                .setUnit("s")
                .setDescription("Time spent in garbage collections.")
                .buildWithCallback(to -> ManagementFactory.getGarbageCollectorMXBeans()
                        .forEach(collector -> to.record(
                                Math.max(0, collector.getCollectionTime()) / MILLIS_PER_SECOND,
                                Attributes.of(COLLECTOR, collector.getName()))));
    }

    private static void threads(Meter meter) {
        meter.gaugeBuilder("jvm.threads.current")
                .ofLongs()
                .setDescription("Platform threads.")
                .buildWithCallback(
                        to -> to.record(ManagementFactory.getThreadMXBean().getThreadCount()));
        meter.gaugeBuilder("jvm.threads.peak")
                .ofLongs()
                .setDescription("The peak number of platform threads.")
                .buildWithCallback(
                        to -> to.record(ManagementFactory.getThreadMXBean().getPeakThreadCount()));
    }

    private static void process(Meter meter) {
        meter.gaugeBuilder("process.resident.memory")
                .ofLongs()
                .setUnit("By")
                .setDescription("Resident memory; Linux only.")
                .buildWithCallback(to -> {
                    long resident = resident();
                    if (resident >= 0) {
                        to.record(resident);
                    }
                });
        meter.counterBuilder("process.cpu")
                .ofDoubles()
                .setUnit("s")
                .setDescription("Processor time of all threads.")
                .buildWithCallback(to -> {
                    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
                        to.record(system.getProcessCpuTime() / NANOS_PER_SECOND);
                    }
                });
        meter.gaugeBuilder("process.open.fds")
                .ofLongs()
                .setDescription("Open files and sockets.")
                .buildWithCallback(to -> {
                    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
                        to.record(system.getOpenFileDescriptorCount());
                    }
                });
        meter.gaugeBuilder("process.max.fds")
                .ofLongs()
                .setDescription("How many files and sockets may be open.")
                .buildWithCallback(to -> {
                    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
                        to.record(system.getMaxFileDescriptorCount());
                    }
                });
        meter.gaugeBuilder("process.start.time")
                .setUnit("s")
                .setDescription("Start time of the process, in seconds since 1970.")
                .buildWithCallback(
                        to -> to.record(ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS_PER_SECOND));
    }

    /** In bytes; -1 where the system does not say. */
    private static long resident() {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(RESIDENT)) {
                    String kilobytes = line.substring(RESIDENT.length()).replace("kB", "");
                    return Long.parseLong(kilobytes.strip()) * 1024;
                }
            }
        } catch (IOException e) {
            return -1; // Not Linux.
        }
        return -1;
    }
}
