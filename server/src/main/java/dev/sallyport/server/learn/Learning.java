package dev.sallyport.server.learn;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.server.Failure;
import dev.sallyport.server.learn.AllowlistFile.Existing;
import dev.sallyport.server.record.ReadTally;
import dev.sallyport.server.record.RecordReader;
import dev.sallyport.server.summary.Shortened;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.CompiledRules;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** One run of {@code sallyport learn}. Blocks. */
public final class Learning {

    /** So many places are named in a note. */
    private static final int MOST = 20;

    private final List<String> logs;
    private final boolean includeRefused;
    private final boolean prune;
    private final PluginCatalog catalog;
    private final Map<String, String> environment;

    /**
     * What comes of it.
     *
     * @param notes what was learned from, and what was left out and why; a line each
     * @param policy a policy in YAML, or a unified diff; no lines when a configuration need not change
     */
    public record Result(List<String> notes, List<String> policy) {

        public Result {
            notes = List.copyOf(notes);
            policy = List.copyOf(policy);
        }
    }

    /**
     * @param logs names of audit logs; {@code -} is standard input
     * @param includeRefused whether requests that an allowlist refused are let through too
     * @param prune whether entries of a configuration that no request needs are taken out
     * @param environment for overrides in a configuration
     */
    public Learning(
            List<String> logs,
            boolean includeRefused,
            boolean prune,
            PluginCatalog catalog,
            Map<String, String> environment) {
        this.logs = List.copyOf(logs);
        this.includeRefused = includeRefused;
        this.prune = prune;
        this.catalog = catalog;
        this.environment = Map.copyOf(environment);
    }

    /**
     * Learns a policy.
     *
     * @throws Failure when a log cannot be read, or nothing in it can be learned from
     */
    public Result policy(InputStream standardInput) throws Failure {
        TrafficCollector traffic = new TrafficCollector(includeRefused, false);
        ReadTally tally = read(traffic, standardInput);
        LearnedPolicy policy = learned(traffic, CredentialHosts.none(), List.of());
        List<String> lines = new ArrayList<>(List.of("transforms:"));
        PolicyYaml.entry(policy.rules(), false).forEach(line -> lines.add("  " + line));
        return new Result(notes(policy, traffic, tally, CredentialHosts.none()), lines);
    }

    /**
     * Learns what the allowlist of a configuration must say, as a diff of its file. Its entries stay as they are, but for
     * those for every host, in whose place comes what was learned.
     *
     * @throws Failure also when the configuration has problems, or is written in a form of which no diff is made
     */
    public Result diff(Path config, InputStream standardInput) throws Failure {
        String text = text(config);
        ConfigResult.Loaded loaded = loaded(config.toString(), text, config);
        AllowlistFile file = AllowlistFile.parse(config.toString(), text);
        TrafficCollector traffic = new TrafficCollector(includeRefused, file.hasAllowlist());
        ReadTally tally = read(traffic, standardInput);
        List<Existing> candidates =
                file.entries().stream().filter(entry -> !entry.anyHost()).toList();
        List<Existing> needed = needed(candidates, traffic);
        List<Existing> kept = prune ? needed : candidates;
        CredentialHosts credentials = CredentialHosts.of(loaded.config());
        LearnedPolicy policy =
                learned(traffic, credentials, kept.stream().map(Existing::rule).toList());
        List<LineEdit> edits = file.edits(kept, policy.rules());
        verify(file, config, edits, kept, policy);
        List<String> notes = notes(policy, traffic, tally, credentials);
        notes.addAll(changes(file, needed, kept));
        return new Result(notes, file.diff(edits));
    }

    private ReadTally read(TrafficCollector traffic, InputStream standardInput) throws Failure {
        RecordReader reader = new RecordReader(traffic);
        try {
            reader.readAll(logs, standardInput);
        } catch (IOException e) {
            throw unreadable(e, String.join(", ", logs), "an audit log");
        }
        return reader.tally();
    }

    private LearnedPolicy learned(TrafficCollector traffic, CredentialHosts credentials, List<Rule> kept)
            throws Failure {
        LearnedPolicy policy = new PolicyLearner(traffic, credentials, kept).learn();
        if (policy.requests() == 0) {
            List<String> problems = new ArrayList<>();
            problems.add(
                    String.join(", ", logs) + ": nothing to learn from (expected: a request that was let through)");
            problems.addAll(traffic.leftOut().lines());
            throw new Failure(problems);
        }
        return policy;
    }

    /** The entries that are needed: for each request the first that covers it. */
    private static List<Existing> needed(List<Existing> candidates, TrafficCollector traffic) {
        CompiledRules rules =
                PolicyLearner.compiled(candidates.stream().map(Existing::rule).toList());
        Set<Integer> used = new HashSet<>();
        for (ObservedRequest request : traffic.requests().keySet()) {
            if (PolicyLearner.allows(rules, request)) {
                used.add(rules.match(request.destination(), request.method(), request.decoded()));
            }
        }
        List<Existing> needed = new ArrayList<>();
        for (int i = 0; i < candidates.size(); i++) {
            if (used.contains(i)) {
                needed.add(candidates.get(i));
            }
        }
        return needed;
    }

    /** A diff that does not say what it should is none. */
    private void verify(
            AllowlistFile file, Path config, List<LineEdit> edits, List<Existing> kept, LearnedPolicy policy)
            throws Failure {
        String edited = file.edited(edits);
        Set<Rule> wanted = new HashSet<>();
        kept.forEach(entry -> wanted.add(entry.rule()));
        policy.rules().forEach(rule -> wanted.add(rule.rule()));
        Set<Rule> found = new HashSet<>();
        AllowlistFile.parse(config.toString(), edited).entries().forEach(entry -> found.add(entry.rule()));
        boolean sound = ConfigLoader.load(config.toString(), edited, folder(config), environment, catalog)
                instanceof ConfigResult.Loaded;
        if (!sound || !found.equals(wanted)) {
            throw new Failure(
                    config + ":" + file.line()
                            + ": the allowlist is written in a form that is not edited (expected: its lists in block style, without aliases)");
        }
    }

    private ConfigResult.Loaded loaded(String name, String text, Path config) throws Failure {
        return switch (ConfigLoader.load(name, text, folder(config), environment, catalog)) {
            case ConfigResult.Loaded loaded -> loaded;
            case ConfigResult.Invalid invalid ->
                throw new Failure(
                        invalid.problems().stream().map(Object::toString).toList());
        };
    }

    private static Path folder(Path config) {
        return Objects.requireNonNullElse(config.toAbsolutePath().getParent(), Path.of("/"));
    }

    private static String text(Path config) throws Failure {
        try {
            return Files.readString(config);
        } catch (IOException e) {
            throw unreadable(e, config.toString(), "a YAML file");
        }
    }

    private static Failure unreadable(IOException e, String names, String expected) {
        return switch (e) {
            case NoSuchFileException missing ->
                new Failure(missing.getFile() + ": no such file (expected: " + expected + ")");
            case AccessDeniedException denied -> new Failure(denied.getFile() + ": permission denied");
            default -> new Failure(names + ": cannot be read: " + e.getMessage() + " (expected: " + expected + ")");
        };
    }

    private List<String> notes(
            LearnedPolicy policy, TrafficCollector traffic, ReadTally tally, CredentialHosts credentials) {
        List<String> notes = new ArrayList<>();
        notes.add(String.format(
                Locale.ROOT,
                "learned from %s to %s, of %s in %s",
                counted(policy.requests(), "request"),
                counted(policy.hosts(), "host"),
                counted(tally.exchanges(), "record"),
                String.join(", ", logs)));
        notes.addAll(traffic.leftOut().lines());
        if (tally.unreadable() > 0) {
            notes.add("left out: " + counted(tally.unreadable(), "line") + " without a readable record, such as "
                    + tally.named().getFirst());
        }
        if (!credentials.everywhere().isEmpty()) {
            notes.add("paths kept literal everywhere: no destination is safe from the credentials of "
                    + String.join(", ", credentials.everywhere()));
        } else if (!policy.literal().isEmpty()) {
            notes.add("paths kept literal: " + Shortened.list(policy.literal(), MOST)
                    + (policy.literal().size() == 1 ? " gets a credential" : " get a credential"));
        }
        return notes;
    }

    private static List<String> changes(AllowlistFile file, List<Existing> needed, List<Existing> kept) {
        List<String> replaced = new ArrayList<>();
        List<String> idle = new ArrayList<>();
        boolean pruned = kept.size() == needed.size();
        for (Existing entry : file.entries()) {
            if (entry.anyHost()) {
                replaced.add(place(entry));
            } else if (!needed.contains(entry)) {
                idle.add(place(entry));
            }
        }
        List<String> changes = new ArrayList<>();
        if (!replaced.isEmpty()) {
            changes.add("taken out: " + Shortened.list(replaced, MOST) + ", in whose place stands what was seen");
        }
        if (!idle.isEmpty()) {
            changes.add((pruned ? "taken out: " : "kept: ") + Shortened.list(idle, MOST) + ", which no request needs"
                    + (pruned ? "" : " (--prune takes out what is not needed)"));
        }
        if (file.warns()) {
            changes.add("warn: true stays where it is, and nothing is refused before it goes");
        }
        return changes;
    }

    private static String place(Existing entry) {
        String host = entry.rule().host() == null
                ? String.valueOf(entry.rule().cidr())
                : entry.rule().host();
        return "line " + entry.line() + " (" + PlainText.cut(host, 80) + ")";
    }

    private static String counted(long count, String what) {
        return String.format(Locale.ROOT, "%,d %s%s", count, what, count == 1 ? "" : "s");
    }
}
