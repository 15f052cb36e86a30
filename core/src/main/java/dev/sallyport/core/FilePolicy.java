package dev.sallyport.core;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.config.WorkloadConfig;
import dev.sallyport.core.pipeline.PipelineSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The policies that a file states, and the transforms that the application adds to them. */
record FilePolicy(
        ProxyConfig config,
        List<TransformEntry<?>> given,
        PipelineSettings settings,
        Map<String, WorkloadConfig> workloads,
        WorkloadOrigin everybody) {

    static FilePolicy of(ProxyConfig config, List<TransformEntry<?>> given) {
        Map<String, WorkloadConfig> byName = new HashMap<>();
        config.workloads().forEach(workload -> byName.put(workload.name(), workload));
        return new FilePolicy(
                config, given, ConfigMapper.pipeline(config.proxy()), byName, WorkloadOrigin.unclaimed(config, given));
    }

    /** What a workload is made of. */
    WorkloadOrigin origin(String name, @Nullable WorkloadSpec delivered) {
        return WorkloadOrigin.of(name, config, given, everybody, workloads.get(name), delivered);
    }

    /** Whether TLS is passed through, so that nothing but hosts is seen. */
    boolean blind() {
        return config.tls().mode() == TlsSection.Mode.SNI_ONLY;
    }
}
