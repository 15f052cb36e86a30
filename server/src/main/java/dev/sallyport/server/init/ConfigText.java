package dev.sallyport.server.init;

import dev.sallyport.server.learn.YamlScalars;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the configuration. Pure functions. */
final class ConfigText {

    private ConfigText() {}

    /**
     * The text.
     *
     * @param file its name, for the commands in its comments
     * @param answers of the package managers that were asked
     * @param repositories of the folder
     */
    static String of(Plan plan, String file, List<Answer> answers, List<Repository> repositories) {
        List<String> lines = new ArrayList<>();
        head(plan, file, lines);
        lines.add("# One after the other, in this order; each must let a request pass.");
        lines.add("transforms:");
        lines.add("  - name: allowlist");
        lines.add("    config:");
        if (plan.purpose() == Purpose.OBSERVE) {
            observe(plan, file, lines);
        } else {
            allowlist(plan, answers, repositories, lines);
        }
        secrets(plan, lines);
        tail(plan, file, lines);
        return String.join("\n", lines) + "\n";
    }

    private static void head(Plan plan, String file, List<String> lines) {
        lines.addAll(List.of(
                "# Sallyport for " + plan.purpose().words() + ".",
                "# Written by: sallyport init --for " + plan.purpose().option(),
                "#",
                "#   sallyport check -config " + file + "   says what is wrong with it, and what it means",
                "#   sallyport -config " + file + "         runs it; kill -HUP makes it read the file again",
                "",
                "dns:",
                "  enabled: false # workloads are told of the proxy; no name server sends them to it",
                "",
                "proxy:",
                "  http_listen: disabled",
                "  https_listen: disabled",
                "  # CONNECT, SOCKS5 and plain HTTP: what http_proxy and https_proxy of the workload point to.",
                "  tunnel_listen: " + listen(plan.listen()),
                "  # A refusal is said inside the tunnel, where clients show it.",
                "  tunnel_denials: inside",
                "",
                "tls:",
                "  # Signs the certificates that workloads see, so they must trust it. Beside this file.",
                "  ca_cert: ca.crt",
                "  ca_key: ca.key",
                ""));
    }

    private static void observe(Plan plan, String file, List<String> lines) {
        lines.addAll(List.of(
                "      # Nothing is refused: what the list below does not name is let through, without credentials,",
                "      # and marked in its record. Once enough is recorded,",
                "      #   sallyport learn audit.jsonl -config " + file + " | patch " + file,
                "      # fills the list; then take this line out, and everything else is refused.",
                "      warn: true"));
        List<String> hosts = hosts(plan);
        if (hosts.isEmpty()) {
            lines.add("      domains: []");
        } else {
            lines.add("      domains:");
            hosts.forEach(host -> lines.add("        - " + YamlScalars.of(host)));
        }
    }

    private static void allowlist(Plan plan, List<Answer> answers, List<Repository> repositories, List<String> lines) {
        List<String> rules = new ArrayList<>();
        repositories.forEach(repository -> repository(repository, rules));
        registries(answers, rules);
        List<String> hosts = hosts(plan);
        if (rules.isEmpty() && hosts.isEmpty()) {
            lines.add("      # Nothing may leave yet. For example: \"api.example.com\", \"*.example.org\"");
            lines.add("      domains: []");
        }
        if (!hosts.isEmpty()) {
            lines.add("      # Whole hosts. A name with * in front stands for all names below it, and for itself.");
            lines.add("      domains:");
            hosts.forEach(host -> lines.add("        - " + YamlScalars.of(host)));
        }
        if (!rules.isEmpty()) {
            lines.add("      rules:");
            rules.forEach(rule -> lines.add("        " + rule));
        }
        answers.stream()
                .filter(answer ->
                        answer.registries().isEmpty() && plan.purpose().needsRegistries())
                .forEach(answer -> lines.add("      # " + answer.line()));
    }

    private static void repository(Repository repository, List<String> rules) {
        rules.add(
                "# git fetch and clone of this repository. For git push, add its paths that end in git-receive-pack.");
        place(repository.host(), rules);
        rules.add("  methods: [GET, POST]");
        rules.add("  paths:");
        repository.paths().forEach(path -> rules.add("    - " + YamlScalars.of(path)));
    }

    /** One rule for each host, whoever named it. */
    private static void registries(List<Answer> answers, List<String> rules) {
        Map<Registry, Set<String>> namedBy = new LinkedHashMap<>();
        for (Answer answer : answers) {
            String note = answer.note().isEmpty() ? "" : "; " + answer.note();
            for (Registry registry : answer.registries()) {
                namedBy.computeIfAbsent(registry, name -> new LinkedHashSet<>())
                        .add("# " + answer.manager() + " (" + answer.source() + ")" + note);
            }
        }
        namedBy.forEach((registry, sources) -> {
            rules.addAll(sources);
            place(registry, rules);
            rules.add("  methods: [GET, HEAD] # to read; nothing can be published");
        });
    }

    private static void place(Registry registry, List<String> rules) {
        rules.add((registry.address() ? "- cidr: " : "- host: ") + YamlScalars.of(registry.host()));
        if (registry.port() != 0) {
            rules.add("  ports: [" + registry.port() + "]");
        }
    }

    /** Those that were named, and those that credentials go to. */
    private static List<String> hosts(Plan plan) {
        Set<String> hosts = new LinkedHashSet<>(plan.allow());
        plan.secrets().forEach(secret -> hosts.addAll(secret.hosts()));
        return List.copyOf(hosts);
    }

    private static void secrets(Plan plan, List<String> lines) {
        if (plan.secrets().isEmpty()) {
            return;
        }
        lines.add("");
        lines.add(
                "  # The workload has a placeholder, and only these hosts get the value. It is taken out of responses again.");
        lines.add("  - name: secrets");
        lines.add("    config:");
        lines.add("      secrets:");
        for (PlannedSecret secret : plan.secrets()) {
            lines.addAll(List.of(
                    "        # In the environment of the proxy: " + secret.variable() + ". In that of the workload:",
                    "        #   export " + secret.name() + "=" + secret.placeholder(),
                    "        - source: { type: env, var: " + secret.variable() + " }",
                    "          replace:",
                    "            proxy_value: " + secret.placeholder(),
                    "          rules:"));
            secret.hosts().forEach(host -> lines.add("            - host: " + YamlScalars.of(host)));
        }
    }

    private static void tail(Plan plan, String file, List<String> lines) {
        lines.addAll(List.of(
                "",
                "log:",
                "  audit:",
                "    # One record for each request, without secrets. What is missing above can be learned from it:",
                "    #   sallyport learn audit.jsonl --include-refused -config " + file,
                "    file: audit.jsonl",
                "",
                "metrics:",
                "  listen: " + listen(plan.metrics()) + " # GET /metrics and /healthz"));
    }

    private static String listen(String address) {
        return address.matches("[A-Za-z0-9.-]+(:[0-9]+)?") ? address : YamlScalars.of(address);
    }
}
