package dev.sallyport.server.otlp;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.parent.Parents;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import java.nio.ByteBuffer;
import java.time.Duration;

/** Nothing is exported. */
final class NoExports implements Exports {

    static final NoExports NONE = new NoExports();

    private NoExports() {}

    @Override
    public void written(AuditRecord record, ByteBuffer line) {}

    @Override
    public void addTo(SdkMeterProviderBuilder meters) {}

    @Override
    public void countWith(Meter meter) {}

    @Override
    public void begin(ProxyConfig config) {}

    @Override
    public void through(Parents parents) {}

    @Override
    public void reloaded(ProxyConfig config) {}

    @Override
    public boolean traces() {
        return false;
    }

    @Override
    public void ending(Duration limit) {}

    @Override
    public void drain() {}

    @Override
    public void close() {}
}
