package dev.sallyport.sandboxcli;

import dev.sallyport.core.SubcommandContext;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.SectionEntry;
import dev.sallyport.core.config.TlsSection;
import dev.sallyport.sandbox.SandboxdOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The configuration of a control plane, as far as it is about sandboxd. */
final class SandboxdFile {

    /** Only what is wrong in these is of interest. */
    private static final List<String> SECTIONS = List.of("/control", "/proxy", "/dns");

    private final SubcommandContext context;

    SandboxdFile(SubcommandContext context) {
        this.context = context;
    }

    /** The settings of sandboxd; null where there are problems, which have been reported. */
    @Nullable Map<String, String> read(Path file) {
        ConfigResult result = context.load(file);
        ProxyConfig draft = result.draft();
        List<ConfigProblem> problems = result.problems().stream()
                .filter(problem -> draft == null || isRead(problem.pointer()))
                .toList();
        problems.forEach(this::complain);
        return draft == null || !problems.isEmpty() ? null : settings(file, draft, result);
    }

    private static boolean isRead(String pointer) {
        return SECTIONS.stream().anyMatch(section -> pointer.equals(section) || pointer.startsWith(section + "/"));
    }

    private @Nullable Map<String, String> settings(Path file, ProxyConfig config, ConfigResult result) {
        for (SectionEntry<?> entry : config.companions()) {
            if (entry.config() instanceof SandboxdOptions options) {
                Map<String, String> settings = options.sandboxd(new SandboxdOptions.Gate(
                                port(config.proxy().httpListen()), port(config.dns()), authority(config.tls())))
                        .orElse(null);
                if (settings == null) {
                    String driver = entry.pointer() + "/sandboxes/driver";
                    complain(new ConfigProblem(
                            result.places().of(driver), driver, "VMs run without sandboxd", "auto, oci or qemu"));
                }
                return settings;
            }
        }
        context.err().println("sallyport: " + file + ": no section control (expected: control: {listen: ...})");
        return null;
    }

    private static int port(@Nullable ListenAddress address) {
        return address == null ? 0 : address.port();
    }

    private static int port(DnsSection dns) {
        return dns.enabled() ? dns.listen().port() : 0;
    }

    private static @Nullable Path authority(TlsSection tls) {
        return tls.mode() == TlsSection.Mode.MITM ? tls.caCert() : null;
    }

    private void complain(ConfigProblem problem) {
        context.err().println("sallyport: " + problem);
    }
}
