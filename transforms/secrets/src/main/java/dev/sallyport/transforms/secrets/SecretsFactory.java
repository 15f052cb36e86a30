package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.util.ArrayList;
import java.util.List;

/** Makes {@code secrets} transforms. */
public final class SecretsFactory implements TransformFactory<SecretsConfig> {

    private static final Descriptor<SecretsConfig> DESCRIPTOR = Descriptor.of(
            "secrets",
            SecretsConfig.class,
            "Puts real credentials into requests: swaps placeholders, or injects headers and query parameters.");

    @Override
    public Descriptor<SecretsConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(SecretsConfig config, Problems problems) {
        new Validation(problems).check(config);
    }

    /** Declares exactly what the entries need: an instance that only swaps headers may not touch a request's body. */
    @Override
    public void doubts(SecretsConfig config, Problems doubts) {
        new Validation(doubts).doubts(config);
    }

    @Override
    public Capabilities capabilities(SecretsConfig config) {
        Capabilities.Builder declared =
                Capabilities.builder().scope(scope(config)).effectScope(destinations(config));
        for (SecretsConfig.Entry entry : config.secrets()) {
            declared.effects(Effect.INJECTS_CREDENTIAL);
            SecretsConfig.Inject inject = entry.inject();
            if (inject != null) {
                declared.writes(inject.header() != null ? Part.REQUEST_HEADERS : Part.QUERY);
            }
            SecretsConfig.Replace replace = entry.replacement();
            if (replace != null) {
                declare(replace, entry, declared);
            }
        }
        return declared.build();
    }

    private static void declare(
            SecretsConfig.Replace replace, SecretsConfig.Entry entry, Capabilities.Builder declared) {
        declared.placeholder(replace.proxyValue());
        if (replace.scanHeaders()) {
            declared.writes(Part.REQUEST_HEADERS, Part.REQUEST_TRAILERS);
        }
        if (replace.matchQuery()) {
            declared.writes(Part.QUERY);
        }
        if (replace.matchPath()) {
            declared.writes(Part.PATH);
        }
        if (replace.matchBody()) {
            declared.writes(Part.REQUEST_BODY, Part.MESSAGES);
            boolean misdirects = !entry.rules().isEmpty();
            if (replace.require() || entry.source().optional() || misdirects) {
                declared.reads(Part.REQUEST_BODY);
            }
        }
    }

    /** A placeholder may be sent to any destination; an injected secret is never sent outside its rules. */
    private static List<Rule> scope(SecretsConfig config) {
        boolean everywhere = config.secrets().stream().anyMatch(entry -> entry.replacement() != null);
        return everywhere ? List.of() : destinations(config);
    }

    /** The union of all rules; empty, which means everywhere, when some entry has none. */
    private static List<Rule> destinations(SecretsConfig config) {
        List<Rule> scope = new ArrayList<>();
        for (SecretsConfig.Entry entry : config.secrets()) {
            if (entry.rules().isEmpty()) {
                return List.of();
            }
            scope.addAll(entry.rules());
        }
        return scope;
    }

    @Override
    public Transform create(SecretsConfig config, BuildContext context) throws ConfigException {
        return new Secrets(PlanBuilder.build(config, context));
    }
}
