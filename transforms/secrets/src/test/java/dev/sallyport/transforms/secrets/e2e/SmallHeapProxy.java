package dev.sallyport.transforms.secrets.e2e;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.testkit.FakeSecrets;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A proxy in a JVM of its own: says where it listens, ends with its input, and then says how much memory it took. */
final class SmallHeapProxy {

    private SmallHeapProxy() {}

    public static void main(String[] args) throws Exception {
        FakeSecrets values = new FakeSecrets().set("TOKEN", args[1]);
        List<String> entries = List.of(Proxies.entry("{type: fake, name: TOKEN}", ""));
        try (EgressProxy proxy =
                Proxies.start(Path.of(args[0]), OutputStream.nullOutputStream(), values, "", entries)) {
            System.out.println("port " + proxy.httpAddress().getPort());
            while (System.in.read() >= 0) {
                // Only the end counts.
            }
        }
        long heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getPeakUsage)
                .mapToLong(peak -> peak.getUsed())
                .sum();
        System.out.println("peak heap " + (heap >> 20) + " MiB, " + resident());
    }

    private static String resident() throws Exception {
        Path status = Path.of("/proc/self/status");
        return Files.exists(status)
                ? Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("VmHWM"))
                        .findFirst()
                        .orElse("")
                : "";
    }
}
