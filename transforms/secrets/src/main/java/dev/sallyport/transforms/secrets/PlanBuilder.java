package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Secret;
import dev.sallyport.toolkit.headers.HeaderPattern;
import dev.sallyport.toolkit.headers.HeaderPatterns;
import dev.sallyport.toolkit.scan.Placeholders;
import dev.sallyport.toolkit.template.TemplateException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Resolves and compiles a validated configuration. Blocks while secrets are read. */
final class PlanBuilder {

    private final SecretsConfig config;
    private final BuildContext context;
    private final Map<List<Rule>, RuleSet> compiled = new HashMap<>();
    private final Map<String, List<Replacement>> byPlaceholder = new LinkedHashMap<>();
    private final Map<String, Integer> identities = new HashMap<>();
    private final List<Replacement> replacements = new ArrayList<>();
    private final List<Injection> injections = new ArrayList<>();

    private PlanBuilder(SecretsConfig config, BuildContext context) {
        this.config = config;
        this.context = context;
    }

    static Plan build(SecretsConfig config, BuildContext context) throws ConfigException {
        return new PlanBuilder(config, context).plan();
    }

    private Plan plan() throws ConfigException {
        for (int i = 0; i < config.secrets().size(); i++) {
            entry(i, config.secrets().get(i));
        }
        List<byte[]> placeholders = byPlaceholder.keySet().stream()
                .map(placeholder -> placeholder.getBytes(StandardCharsets.UTF_8))
                .toList();
        List<List<Replacement>> byToken =
                byPlaceholder.values().stream().map(List::copyOf).toList();
        return new Plan(
                placeholders(placeholders),
                byToken,
                HeaderPatterns.of(replacements.stream()
                        .flatMap(r -> r.headers().patterns().stream())
                        .toList()),
                replacing(r -> r.config().require()),
                replacing(r -> r.config().scanHeaders()),
                replacing(r -> r.config().matchBody()),
                replacing(r -> r.config().matchBody() && entry(r).source().optional()),
                group(injections));
    }

    private Placeholders placeholders(List<byte[]> placeholders) throws ConfigException {
        boolean inBodies = replacements.stream().anyMatch(r -> r.config().matchBody());
        try {
            return inBodies ? Placeholders.of(placeholders) : Placeholders.ofHeads(placeholders);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("/secrets", "the placeholders cannot be compiled", "fewer or shorter ones")
                    .causedBy(e);
        }
    }

    private void entry(int index, SecretsConfig.Entry entry) throws ConfigException {
        Secret secret = context.secret(entry.source());
        RuleSet rules = entry.rules().isEmpty() ? null : rules(entry.rules());
        SecretsConfig.Inject inject = entry.inject();
        SecretsConfig.Replace replace = entry.replacement();
        EntryCredential credential = new EntryCredential(
                index,
                identity(secret.name(), entry),
                secret,
                replace == null ? null : replace.proxyValue().getBytes(StandardCharsets.UTF_8),
                entry.redactResponse(),
                rules,
                context);
        if (secret.available()) {
            credential.current(); // warns
        }
        if (inject != null) {
            String pointer = "/secrets/" + index + "/inject/formatter";
            injections.add(new Injection(
                    index,
                    secret,
                    rules,
                    inject,
                    formatter(inject.formatter(), pointer),
                    credential,
                    entry.allowPlaintext()));
        } else if (replace != null) {
            List<Replacement> sharing =
                    byPlaceholder.computeIfAbsent(replace.proxyValue(), placeholder -> new ArrayList<>(1));
            int token = sharing.isEmpty()
                    ? byPlaceholder.size() - 1
                    : sharing.getFirst().token();
            Replacement replacement = new Replacement(
                    index,
                    token,
                    secret,
                    rules,
                    replace,
                    headers(replace),
                    entry.rejectsMisdirected(),
                    entry.allowPlaintext(),
                    credential);
            sharing.add(replacement);
            replacements.add(replacement);
        }
    }

    /**
     * An entry's identity, which does not change when other entries are added or removed before it; identical entries
     * are numbered.
     */
    private String identity(String secret, SecretsConfig.Entry entry) {
        SecretsConfig.Replace replace = entry.replacement();
        SecretsConfig.Inject inject = entry.inject();
        String what = replace == null ? "" : "replace " + replace.proxyValue();
        if (inject != null) {
            what = inject.header() != null ? "header " + inject.header() : "query " + inject.queryParam();
        }
        String identity = what + " " + entry.source().jsonKey();
        int twin = identities.merge(secret + " " + identity, 1, Integer::sum);
        return twin == 1 ? identity : identity + " " + twin;
    }

    private SecretsConfig.Entry entry(ScopedEntry compiledEntry) {
        return config.secrets().get(compiledEntry.index());
    }

    private static @Nullable Formatter formatter(@Nullable String source, String pointer) throws ConfigException {
        try {
            return source == null ? null : Formatter.compile(source);
        } catch (TemplateException e) {
            throw e.at(pointer);
        }
    }

    private static HeaderPatterns headers(SecretsConfig.Replace replace) {
        return HeaderPatterns.of(
                replace.matchHeaders().stream().map(HeaderPattern::parse).toList());
    }

    /** Equal lists share one compiled set. */
    private RuleSet rules(List<Rule> rules) throws ConfigException {
        RuleSet known = compiled.get(rules);
        if (known == null) {
            known = context.rules(rules);
            compiled.put(rules, known);
        }
        return known;
    }

    private EntryGroup<Replacement> replacing(Predicate<Replacement> predicate) throws ConfigException {
        return group(replacements.stream().filter(predicate).toList());
    }

    private <T extends ScopedEntry> EntryGroup<T> group(List<T> entries) throws ConfigException {
        List<Rule> union = new ArrayList<>();
        for (T entry : entries) {
            if (entry.rules() == null) {
                return new EntryGroup<>(List.copyOf(entries), null);
            }
            union.addAll(entry(entry).rules());
        }
        return new EntryGroup<>(List.copyOf(entries), rules(union));
    }
}
