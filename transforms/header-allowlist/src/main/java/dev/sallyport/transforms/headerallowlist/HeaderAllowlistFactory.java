package dev.sallyport.transforms.headerallowlist;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.toolkit.headers.HeaderPattern;
import dev.sallyport.toolkit.headers.HeaderPatterns;

/** Makes {@code header_allowlist} transforms. */
public final class HeaderAllowlistFactory implements TransformFactory<HeaderAllowlistConfig> {

    private static final Descriptor<HeaderAllowlistConfig> DESCRIPTOR = Descriptor.of(
            "header_allowlist",
            HeaderAllowlistConfig.class,
            "Strips request headers and trailers that its list does not name.");

    @Override
    public Descriptor<HeaderAllowlistConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(HeaderAllowlistConfig config, Problems problems) {
        HeaderPatterns.parse(config.headers(), problems, "/headers");
    }

    @Override
    public Capabilities capabilities(HeaderAllowlistConfig config) {
        return Capabilities.builder()
                .scope(config.rules())
                .restricts()
                .writes(Part.REQUEST_HEADERS, Part.REQUEST_TRAILERS)
                .effects(Effect.STRIPS_UNKNOWN)
                .build();
    }

    @Override
    public Transform create(HeaderAllowlistConfig config, BuildContext context) throws ConfigException {
        HeaderPatterns allowed = HeaderPatterns.of(
                config.headers().stream().map(HeaderPattern::parse).toList());
        return new HeaderAllowlist(context.rules(config.rules()), allowed);
    }
}
