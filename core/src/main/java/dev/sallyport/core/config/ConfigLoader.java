package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSourceFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads configurations. The result holds the problems; none is thrown. */
public final class ConfigLoader {

    private static final int MAX_BYTES = 4 * YamlReader.MAX_CHARACTERS;

    private static final List<String> LISTENERS =
            List.of("/proxy/http_listen", "/proxy/https_listen", "/proxy/tunnel_listen");

    private final Findings findings = new Findings();
    private final Map<String, String> environment;
    private final PluginCatalog catalog;
    private final boolean adopting;

    private ConfigLoader(Map<String, String> environment, PluginCatalog catalog, boolean adopting) {
        this.environment = environment;
        this.catalog = catalog;
        this.adopting = adopting;
    }

    /**
     * Reads a file. Blocks.
     *
     * @param file relative paths in it are relative to its folder
     * @param environment variables, such as {@link System#getenv()}
     */
    public static ConfigResult load(Path file, Map<String, String> environment, PluginCatalog catalog) {
        return load(file, environment, catalog, false);
    }

    /**
     * As {@link #load(Path, Map, PluginCatalog)}.
     *
     * @param adopting whether the proxy gets its sockets from elsewhere, so that all listeners may be disabled
     */
    public static ConfigResult load(
            Path file, Map<String, String> environment, PluginCatalog catalog, boolean adopting) {
        ConfigLoader loader = new ConfigLoader(environment, catalog, adopting);
        String text = loader.readFile(file);
        Path folder = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), Path.of("/"));
        return text == null
                ? loader.invalid(new Location(file.toString(), 0, 0))
                : loader.load(file.toString(), text, folder);
    }

    /**
     * Reads a text.
     *
     * @param source the name of the configuration in messages
     * @param folder the base of relative paths in it
     */
    public static ConfigResult load(
            String source, String text, Path folder, Map<String, String> environment, PluginCatalog catalog) {
        return load(source, text, folder, environment, catalog, false);
    }

    /**
     * As {@link #load(String, String, Path, Map, PluginCatalog)}.
     *
     * @param adopting whether the proxy gets its sockets from elsewhere, so that all listeners may be disabled
     */
    public static ConfigResult load(
            String source,
            String text,
            Path folder,
            Map<String, String> environment,
            PluginCatalog catalog,
            boolean adopting) {
        return new ConfigLoader(environment, catalog, adopting).load(source, text, folder);
    }

    private @Nullable String readFile(Path file) {
        Location at = new Location(file.toString(), 0, 0);
        try {
            if (Files.size(file) > MAX_BYTES) {
                findings.problem(at, "", "too large", "at most " + MAX_BYTES + " bytes");
                return null;
            }
            byte[] bytes = Files.readAllBytes(file);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            findings.problem(at, "", "not UTF-8 text", "YAML in UTF-8");
        } catch (NoSuchFileException e) {
            findings.problem(at, "", "no such file", "a YAML file");
        } catch (AccessDeniedException e) {
            findings.problem(at, "", "permission denied", "a file that this user may read");
        } catch (IOException e) {
            findings.problem(at, "", Files.isDirectory(file) ? "a folder" : "cannot be read", "a YAML file");
        }
        return null;
    }

    private ConfigResult load(String source, String text, Path folder) {
        Location start = new Location(source, 1, 1);
        ConfigNode root = YamlReader.read(source, text, findings);
        if (root == null) {
            return invalid(start);
        }
        Binder binder = new Binder(catalog, folder, findings);
        ConfigNode.Mapping mapping =
                binder.mapping(root, "", "a mapping with the sections dns, proxy, tls, transforms, ...");
        if (mapping == null) {
            return invalid(start);
        }
        ConfigNode.Mapping overridden = ForeignControlPlane.leaveOut(
                ProxyVariables.apply(Overrides.apply(mapping, environment, catalog, findings), environment), findings);
        Set<String> others = new HashSet<>(catalog.sectionNames());
        others.addAll(catalog.companionNames());
        Object core = binder.block(CoreSections.class, overridden, "", false, others);
        List<TransformEntry<?>> sections = binder.plugins().sections(overridden, "");
        List<SectionEntry<?>> companions = companions(binder, overridden);
        ProxyConfig config = null;
        if (core instanceof CoreSections base) {
            config = base.with(sections, companions, workloads(binder, base.workloads(), overridden));
            readHere(base.proxy().upstreamProxy(), overridden);
            requireListener(base.proxy(), binder.problems(overridden, ""));
            listeners(base, companions, binder.problems(overridden, ""));
        }
        Locations places = new Locations(overridden, "", findings);
        return findings.hasProblems() || config == null
                ? new ConfigResult.Invalid(findings.problems(), findings.warnings(), config, places)
                : new ConfigResult.Loaded(config, findings.warnings(), places);
    }

    private void requireListener(ProxySection proxy, Problems problems) {
        boolean none = proxy.httpListen() == null && proxy.httpsListen() == null && proxy.tunnelListen() == null;
        if (none && !adopting && LISTENERS.stream().noneMatch(findings::isTouched)) {
            problems.add("/proxy", "all listeners are disabled", "one of http_listen, https_listen, tunnel_listen");
        }
    }

    /** A source that can be reached through the parent proxy alone cannot supply the credentials for it. */
    private void readHere(@Nullable UpstreamProxy parent, ConfigNode.Mapping root) {
        if (parent == null) {
            return;
        }
        for (SecretRef ref : Arrays.asList(parent.username(), parent.password())) {
            SecretSourceFactory<?> factory = ref == null ? null : catalog.source(ref.type());
            if (ref != null && factory != null && !isLocal(factory, ref)) {
                findings.problem(
                        Pointers.locate(root, ref.pointer()),
                        ref.pointer(),
                        "a source that is read over the network, for which the parent proxy is needed",
                        "a source such as env or file");
            }
        }
    }

    private static <C extends Record> boolean isLocal(SecretSourceFactory<C> factory, SecretRef ref) {
        try {
            return factory.local(factory.descriptor().configType().cast(ref.config()));
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            return false;
        }
    }

    private static List<WorkloadConfig> workloads(Binder binder, List<WorkloadSection> bound, ConfigNode.Mapping root) {
        List<ConfigNode> nodes =
                root.get("workloads") instanceof ConfigNode.Sequence sequence ? sequence.items() : List.of();
        List<WorkloadConfig> workloads = new ArrayList<>();
        for (int i = 0; i < bound.size(); i++) {
            WorkloadSection workload = bound.get(i);
            String pointer = Pointers.child("/workloads", i);
            List<TransformEntry<?>> sections = nodes.get(i) instanceof ConfigNode.Mapping mapping
                    ? binder.plugins().sections(mapping, pointer)
                    : List.of();
            workloads.add(new WorkloadConfig(
                    workload.name(),
                    workload.sourceCidrs(),
                    workload.proxyUsers(),
                    workload.transforms(),
                    sections,
                    pointer));
        }
        return workloads;
    }

    private List<SectionEntry<?>> companions(Binder binder, ConfigNode.Mapping root) {
        List<SectionEntry<?>> companions = new ArrayList<>();
        for (String name : catalog.companionNames()) {
            ConfigNode node = root.get(name);
            SectionFactory<?> factory = node == null ? null : catalog.companion(name);
            if (factory != null
                    && node != null
                    && binder.plugins().section(factory, node, Pointers.child("", name))
                            instanceof SectionEntry<?> entry) {
                companions.add(entry);
            }
        }
        return companions;
    }

    /** Listeners of other sections that would take an address; those of the proxy have been looked at. */
    private void listeners(CoreSections core, List<SectionEntry<?>> companions, Problems problems) {
        ListenerClashes clashes =
                core.listeners(pointer -> !findings.isTouched(pointer), (pointer, message, expected) -> {});
        for (SectionEntry<?> companion : companions) {
            try {
                companion.listeners().forEach((pointer, address) -> clashes.take(pointer, address, problems));
            } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
                if (!findings.isTouched(companion.pointer())) {
                    ConfigProblem fault = companion.fault(companion.factory(), "listeners", e);
                    findings.problem(fault.at(), fault.pointer(), fault.message(), fault.expected());
                }
            }
        }
    }

    private ConfigResult invalid(Location at) {
        return new ConfigResult.Invalid(findings.problems(), findings.warnings(), null, Locations.everywhere(at));
    }
}
