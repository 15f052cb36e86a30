package dev.sallyport.transforms.allowlist;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.HostGlobs;
import java.util.ArrayList;
import java.util.List;

/** Makes {@code allowlist} transforms. */
public final class AllowlistFactory implements TransformFactory<AllowlistConfig> {

    private static final Descriptor<AllowlistConfig> DESCRIPTOR =
            Descriptor.of("allowlist", AllowlistConfig.class, "Allows what its list names; everything else gets 403.");

    @Override
    public Descriptor<AllowlistConfig> descriptor() {
        return DESCRIPTOR;
    }

    /** The engine checks the rules; this checks all domains and ranges. */
    @Override
    public void validate(AllowlistConfig config, Problems problems) {
        HostGlobs.compile(config.domains(), problems, "/domains");
        CidrSet.parse(config.cidrs(), problems, "/cidrs");
    }

    /** A list that only warns lets everything through; its rules still say which connections may switch protocols. */
    @Override
    public Capabilities capabilities(AllowlistConfig config) {
        List<Rule> all = config.all();
        if (config.warn()) {
            all = new ArrayList<>(all);
            all.removeIf(rule -> rule.upgrade().isEmpty());
            all.add(Rule.host("*"));
        }
        return Capabilities.builder().admits(all).relays(config.relayed()).build();
    }

    @Override
    public Transform create(AllowlistConfig config, BuildContext context) throws ConfigException {
        List<Rule> all = config.all();
        return Allowlist.of(all, context.rules(all), config.warn());
    }
}
