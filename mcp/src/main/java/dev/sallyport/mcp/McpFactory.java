package dev.sallyport.mcp;

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
import java.util.List;

/** Makes the {@code mcp} transform. */
public final class McpFactory implements TransformFactory<McpConfig> {

    private static final Descriptor<McpConfig> DESCRIPTOR = Descriptor.section(
            "mcp", McpConfig.class, "Lets clients see and call only the listed tools of MCP servers.");

    @Override
    public Descriptor<McpConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(McpConfig config, Problems problems) {
        new Validation(problems).check(config);
    }

    @Override
    public Capabilities capabilities(McpConfig config) {
        if (config.servers().isEmpty()) {
            return Capabilities.builder().admits(List.of(Rule.host("*"))).build();
        }
        List<Rule> scope = config.servers().stream()
                .flatMap(server -> server.rules().stream())
                .toList();
        return Capabilities.builder()
                .scope(scope)
                .restricts()
                .reads(Part.REQUEST_BODY, Part.RESPONSE_BODY)
                .writes(Part.REQUEST_BODY, Part.STATUS, Part.RESPONSE_HEADERS, Part.RESPONSE_BODY)
                .effects(Effect.ANSWERS_LOCALLY)
                .needsFullVisibility()
                .build();
    }

    @Override
    public Transform create(McpConfig config, BuildContext context) throws ConfigException {
        return new McpInterceptor(config, context);
    }
}
