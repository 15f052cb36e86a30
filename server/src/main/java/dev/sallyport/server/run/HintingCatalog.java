package dev.sallyport.server.run;

import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.SectionFactory;
import dev.sallyport.spi.Admission;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The plug-ins of a run: the allowlist says in a refusal which option would let the request through, since whoever reads
 * it can start the program again.
 *
 * @param asking asks before a refusal; null when nobody is asked
 */
record HintingCatalog(PluginCatalog plugins, @Nullable Asking asking) implements PluginCatalog {

    private static final String ALLOWLIST = "allowlist";

    @Override
    public @Nullable TransformFactory<?> transform(String name) {
        TransformFactory<?> factory = plugins.transform(name);
        if (factory == null) {
            return null;
        }
        if (factory.descriptor().name().equals(ALLOWLIST)) {
            return new HintingFactory<>(factory, asking);
        }
        return asking == null ? factory : asking.observing(factory);
    }

    @Override
    public @Nullable TransformFactory<?> section(String name) {
        return plugins.section(name);
    }

    @Override
    public @Nullable SecretSourceFactory<?> source(String type) {
        return plugins.source(type);
    }

    @Override
    public @Nullable SectionFactory<?> companion(String section) {
        return plugins.companion(section);
    }

    @Override
    public Set<String> transformNames() {
        return plugins.transformNames();
    }

    @Override
    public Set<String> sectionNames() {
        return plugins.sectionNames();
    }

    @Override
    public Set<String> companionNames() {
        return plugins.companionNames();
    }

    @Override
    public Set<String> sourceTypes() {
        return plugins.sourceTypes();
    }

    private static String hint(String detail, Destination destination) {
        return detail + " It is let through by: sallyport run --allow "
                + AllowedHost.option(destination.host(), destination.port());
    }

    private static final class HintingFactory<C extends Record> extends ForwardingFactory<C> {

        private final @Nullable Asking asking;

        private HintingFactory(TransformFactory<C> factory, @Nullable Asking asking) {
            super(factory);
            this.asking = asking;
        }

        @Override
        public Capabilities capabilities(C config) {
            Capabilities own = super.capabilities(config);
            return asking == null ? own : Asking.patient(own);
        }

        @Override
        public Transform create(C config, BuildContext context) throws ConfigException {
            Transform made = super.create(config, context);
            return made instanceof InlineTransform inline
                    ? new HintingTransform(inline, asking == null ? null : asking.here())
                    : made;
        }
    }

    private record HintingTransform(
            InlineTransform transform, @Nullable Asking asking) implements InlineTransform {

        @Override
        public Admission onConnect(ConnectContext context) {
            Admission admission = transform.onConnect(context);
            if (!(admission instanceof Admission.Refuse refuse)) {
                return admission;
            }
            if (asking != null && asking.mayAllow(context.target())) {
                return Admission.pass(); // the requests inside are asked about
            }
            Admission.Refuse hinted = Admission.refuse(refuse.code(), hint(refuse.detail(), context.target()));
            String position = refuse.position();
            return position == null ? hinted : hinted.at(position);
        }

        @Override
        public Decision decide(RequestContext context) {
            Decision decision = transform.decide(context);
            if (!(decision instanceof Decision.Reject reject) || reject.response() != null) {
                return decision;
            }
            Decision.Reject hinted =
                    Decision.reject(reject.status(), reject.code(), hint(reject.detail(), context.destination()));
            String position = reject.position();
            Decision.Reject refusal = position == null ? hinted : hinted.at(position);
            return asking == null ? refusal : asking.instead(context, refusal);
        }

        @Override
        public void close() {
            transform.close();
        }
    }
}
