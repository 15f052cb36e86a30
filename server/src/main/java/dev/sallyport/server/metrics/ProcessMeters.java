package dev.sallyport.server.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the process itself takes, named as OpenTelemetry's conventions for processes and JVMs do. */
final class ProcessMeters {

    private static final AttributeKey<String> TYPE = AttributeKey.stringKey("jvm.memory.type");
    private static final Attributes HEAP = Attributes.of(TYPE, "heap");
    private static final Attributes NON_HEAP = Attributes.of(TYPE, "non_heap");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final double NANOS_PER_SECOND = 1e9;

    private ProcessMeters() {}

    /** Nothing is read before somebody collects. */
    static void register(Meter meter) {
        meter.gaugeBuilder("jvm.memory.used")
                .ofLongs()
                .setUnit("By")
                .setDescription("Memory in use by the JVM.")
                .buildWithCallback(to -> {
                    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
                    to.record(memory.getHeapMemoryUsage().getUsed(), HEAP);
                    to.record(memory.getNonHeapMemoryUsage().getUsed(), NON_HEAP);
                });
        meter.gaugeBuilder("jvm.thread.count")
                .ofLongs()
                .setDescription("Platform threads.")
                .buildWithCallback(
                        to -> to.record(ManagementFactory.getThreadMXBean().getThreadCount()));
        meter.gaugeBuilder("process.memory.usage")
                .ofLongs()
                .setUnit("By")
                .setDescription("Resident memory; Linux only.")
                .buildWithCallback(to -> {
                    long resident = resident();
                    if (resident >= 0) {
                        to.record(resident);
                    }
                });
        meter.counterBuilder("process.cpu.time")
                .ofDoubles()
                .setUnit("s")
                .setDescription("Processor time of all threads.")
                .buildWithCallback(to -> {
                    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
                        to.record(system.getProcessCpuTime() / NANOS_PER_SECOND);
                    }
                });
        meter.gaugeBuilder("process.open_file_descriptor.count")
                .ofLongs()
                .setDescription("Open files and sockets.")
                .buildWithCallback(to -> {
                    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
                        to.record(system.getOpenFileDescriptorCount());
                    }
                });
        meter.gaugeBuilder("process.uptime")
                .setUnit("s")
                .setDescription("Since the process began.")
                .buildWithCallback(
                        to -> to.record(ManagementFactory.getRuntimeMXBean().getUptime() / 1e3));
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
            return -1; // another system than Linux
        }
        return -1;
    }
}
