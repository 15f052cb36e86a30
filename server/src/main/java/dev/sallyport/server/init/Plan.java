package dev.sallyport.server.init;

import java.util.List;

/**
 * What a configuration is to hold.
 *
 * @param listen the address for workloads, as the configuration has it
 * @param metrics the address for metrics, as the configuration has it
 * @param allow hosts that are let through as a whole
 * @param secrets credentials, whose hosts are let through as well
 * @param managers the package managers to ask; all when none is named
 */
public record Plan(
        Purpose purpose,
        String listen,
        String metrics,
        List<String> allow,
        List<PlannedSecret> secrets,
        List<PackageManager> managers) {

    public Plan {
        allow = List.copyOf(allow);
        secrets = List.copyOf(secrets);
        managers = managers.isEmpty() ? List.of(PackageManager.values()) : List.copyOf(managers);
    }
}
