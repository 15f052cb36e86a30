package dev.sallyport.core;

import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The services of an engine for its companions: parts of what its proxy was built with. */
final class EngineCompanionContext implements CompanionContext {

    private final Map<String, String> environment;
    private final Path folder;
    private final OpenTelemetry telemetry;

    EngineCompanionContext(EgressProxy.Builder settings) {
        this.environment = settings.environment();
        this.folder = settings.folder();
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
    public OpenTelemetry telemetry() {
        return telemetry;
    }
}
