package dev.sallyport.core;

import dev.sallyport.core.config.Locations;
import dev.sallyport.toolkit.match.IpRange;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The services of an engine for its companions: parts of what its proxy was built with. */
final class EngineCompanionContext implements CompanionContext {

    private final Map<String, String> environment;
    private final Path folder;
    private final @Nullable Path file;
    private final List<String> program;
    private final Locations places;
    private final OpenTelemetry telemetry;
    private final PipelineFeed feed;
    private final AuditTaps taps;
    private final Supplier<Set<String>> transforms;
    private final Supplier<List<IpRange>> deniedRanges;

    EngineCompanionContext(
            EmbedderSettings settings,
            Locations places,
            PipelineFeed feed,
            AuditTaps taps,
            Supplier<Set<String>> transforms,
            Supplier<List<IpRange>> deniedRanges) {
        this.deniedRanges = deniedRanges;
        this.feed = feed;
        this.taps = taps;
        this.transforms = transforms;
        this.environment = settings.environment();
        this.folder = settings.source().folder();
        this.file = settings.source().file();
        this.program = settings.program();
        this.places = places;
        this.telemetry = settings.telemetry();
    }

    @Override
    public @Nullable String environment(String variable) {
        return environment.get(variable);
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public @Nullable Path file() {
        return file;
    }

    @Override
    public boolean isGiven(String pointer) {
        return places.isGiven(pointer);
    }

    @Override
    public List<String> program() {
        return program;
    }

    @Override
    public PipelineFeed pipelines() {
        return feed;
    }

    @Override
    public AuditTaps audit() {
        return taps;
    }

    @Override
    public Set<String> transforms() {
        return transforms.get();
    }

    @Override
    public List<IpRange> deniedRanges() {
        return deniedRanges.get();
    }

    @Override
    public OpenTelemetry telemetry() {
        return telemetry;
    }
}
