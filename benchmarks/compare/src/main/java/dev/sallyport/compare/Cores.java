package dev.sallyport.compare;

import dev.sallyport.compare.peer.Commands;
import java.io.IOException;
import java.util.Map;

/** Which processors are whose: the proxy under test has its own. */
final class Cores {

    private Cores() {}

    private static int count() {
        return Runtime.getRuntime().availableProcessors();
    }

    static String proxyDefault() {
        return count() < 2 ? "0" : "1";
    }

    static String loadDefault() {
        return count() <= 2 ? "0" : "0,2-" + (count() - 1);
    }

    /** Puts this JVM on its processors; returns why nothing can be pinned, empty if all is well. */
    static String pin(String load, String proxy) throws InterruptedException {
        if (load.isEmpty() || proxy.isEmpty()) {
            return "nothing is pinned, as asked for";
        }
        try {
            Commands.shell("taskset -c " + proxy + " true", Map.of(), 10);
            Commands.shell(
                    "taskset -a -p -c " + load + " " + ProcessHandle.current().pid(), Map.of(), 10);
            return "";
        } catch (IOException e) {
            return "nothing is pinned: " + e.getMessage();
        }
    }
}
