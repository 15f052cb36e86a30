package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.PipelineText;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.config.WorkloadConfig;
import dev.sallyport.core.config.WorkloadNames;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.pipeline.RedactionPreferences;
import dev.sallyport.core.secret.SecretScope;
import dev.sallyport.core.workload.Workload;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.toolkit.match.InvalidPatternException;
import dev.sallyport.toolkit.match.IpRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes workloads from what the file and the feed say. What cannot be made refuses everything, and says why. Building
 * blocks.
 */
final class WorkloadBuilder {

    private static final Logger LOG = LoggerFactory.getLogger(WorkloadBuilder.class);

    private final GenerationBuilder generations;
    private final PluginCatalog catalog;
    private final Path folder;

    /** @param folder the base of relative paths in what was delivered */
    WorkloadBuilder(GenerationBuilder generations, PluginCatalog catalog, Path folder) {
        this.generations = generations;
        this.catalog = catalog;
        this.folder = folder;
    }

    /**
     * One round of building, in which equal pipelines are read once. For one thread.
     *
     * @param blind whether only hosts are seen, so that transforms that need whole requests cannot work
     */
    Round round(PipelineSettings settings, Supplier<SecretScope> secrets, boolean blind) {
        return new Round(settings, secrets, blind);
    }

    /** The transforms of a delivered pipeline, with the places of all values. */
    List<TransformEntry<?>> entries(WorkloadOrigin origin) {
        WorkloadSpec fed = origin.fed();
        PipelineSpec pipeline = fed == null ? null : fed.pipeline();
        return pipeline == null ? joined(origin, List.of(), List.of()) : joined(origin, pipeline, read(pipeline));
    }

    /** Those of its transforms that the file names. */
    List<TransformEntry<?>> ofFile(WorkloadOrigin origin) {
        return joined(origin, List.of(), List.of());
    }

    private PipelineText read(PipelineSpec pipeline) {
        return PipelineText.read("pipeline", pipeline.text(), folder, catalog);
    }

    private static List<TransformEntry<?>> joined(WorkloadOrigin origin, PipelineSpec pipeline, PipelineText text) {
        List<TransformEntry<?>> listed = new ArrayList<>(text.transforms());
        String yielding = pipeline.yielding();
        boolean yields = !listed.isEmpty() && isOf(listed.getFirst(), yielding);
        if (yields && (has(origin.before(), yielding) || has(origin.after(), yielding))) {
            listed.removeFirst();
        }
        for (PipelineSpec.Given given : pipeline.given()) {
            listed.add(
                    ProgrammaticTransform.entry(given.name(), given.capabilities(), given.transform(), listed.size()));
        }
        return joined(origin, listed, text.sections());
    }

    private static boolean has(List<TransformEntry<?>> entries, String transform) {
        return entries.stream().anyMatch(entry -> isOf(entry, transform));
    }

    private static boolean isOf(TransformEntry<?> entry, String transform) {
        return entry.factory().descriptor().name().equals(transform);
    }

    private static List<TransformEntry<?>> joined(
            WorkloadOrigin origin, List<TransformEntry<?>> listed, List<TransformEntry<?>> sections) {
        List<TransformEntry<?>> all = new ArrayList<>(origin.before());
        all.addAll(listed);
        all.addAll(origin.after());
        all.addAll(sections);
        return all;
    }

    /** See {@link #round}. */
    final class Round {

        private final PipelineSettings settings;
        private final Supplier<SecretScope> secrets;
        private final boolean blind;
        private final Map<PipelineSpec, PipelineText> texts = new HashMap<>();

        private Round(PipelineSettings settings, Supplier<SecretScope> secrets, boolean blind) {
            this.settings = settings;
            this.secrets = secrets;
            this.blind = blind;
        }

        /**
         * Makes a workload; null when its name cannot be that of one, which {@code problems} then say. Where its selectors
         * cannot be read, those of before hold: its callers are refused rather than judged as somebody else.
         *
         * @param before the workload of this name that is in force, or null
         */
        @Nullable LiveWorkload workload(WorkloadOrigin origin, @Nullable LiveWorkload before, List<ConfigProblem> problems) {
            String wrong = WorkloadNames.fault(origin.name());
            if (!wrong.isEmpty()) {
                problems.add(problem("/name", wrong, WorkloadNames.EXPECTED));
                return null;
            }
            Workload.Selectors selectors = selectors(origin, problems);
            if (!problems.isEmpty() && before != null) {
                selectors = before.workload().selectors();
            }
            if (selectors.ranges().isEmpty() && selectors.users().isEmpty() && problems.isEmpty()) {
                problems.add(problem("", "a workload that nothing selects", "a source range, a user or both"));
            }
            List<TransformEntry<?>> entries = entries(origin, problems);
            Generation built = null;
            Map<SecretRef, String> names = Map.of();
            if (problems.isEmpty()) {
                try (SecretScope scope = secrets.get()) {
                    built = generations.buildForWorkload(entries, settings, scope, problems::add);
                    names = scope.names();
                } catch (RuntimeException e) {
                    LOG.error("the policy of workload {} could not be made", origin.name(), e);
                    problems.add(problem(
                            "", "its policy could not be made: " + e.getClass().getSimpleName(), "see the log"));
                }
            }
            WorkloadSpec fed = origin.fed();
            Map<String, String> facts = fed == null ? Map.of() : fed.attributes();
            Generation serving = built == null ? RefusedCallers.withoutPolicy(generations, settings, null) : built;
            return new LiveWorkload(
                    origin,
                    settings,
                    new Workload<>(origin.name(), selectors, facts, serving),
                    Set.copyOf(names.values()),
                    built == null ? List.of() : RedactionPreferences.of(entries, names),
                    List.copyOf(problems));
        }

        /** The transforms of a policy, in order; what is wrong with what was delivered is reported. */
        List<TransformEntry<?>> entries(WorkloadOrigin origin, List<ConfigProblem> problems) {
            WorkloadSpec fed = origin.fed();
            PipelineSpec pipeline = fed == null ? null : fed.pipeline();
            if (pipeline == null) {
                return joined(origin, List.of(), List.of());
            }
            PipelineText text = texts.computeIfAbsent(pipeline, spec -> withoutPlaces(read(spec)));
            problems.addAll(text.problems());
            List<TransformEntry<?>> all = joined(origin, pipeline, text);
            for (TransformEntry<?> entry : all) {
                if (blind && entry.capabilities().needsFullVisibility()) {
                    problems.add(entry.problem(new ConfigException(
                            "",
                            entry.name() + " cannot work in tls.mode sni-only, which sees no requests",
                            "tls.mode: mitm, or no such entry")));
                }
            }
            return all;
        }

        private static PipelineText withoutPlaces(PipelineText text) {
            List<TransformEntry<?>> transforms = new ArrayList<>();
            text.transforms().forEach(entry -> transforms.add(entry.withoutPlaces()));
            List<TransformEntry<?>> sections = new ArrayList<>();
            text.sections().forEach(entry -> sections.add(entry.withoutPlaces()));
            return new PipelineText(transforms, sections, text.problems(), text.warnings());
        }

        /** Those that were delivered, else those of the file. */
        private static Workload.Selectors selectors(WorkloadOrigin origin, List<ConfigProblem> problems) {
            WorkloadSpec fed = origin.fed();
            WorkloadConfig file = origin.file();
            if (fed == null || (fed.sourceCidrs().isEmpty() && fed.users().isEmpty())) {
                return file == null
                        ? new Workload.Selectors(List.of(), Map.of())
                        : Workload.Selectors.of(file.sourceCidrs(), file.proxyUsers());
            }
            List<IpRange> ranges = new ArrayList<>();
            for (int i = 0; i < fed.sourceCidrs().size(); i++) {
                try {
                    ranges.add(IpRange.parse(fed.sourceCidrs().get(i)));
                } catch (InvalidPatternException e) {
                    problems.add(problem("/source_cidrs/" + i, e.reason(), e.expected()));
                }
            }
            return new Workload.Selectors(ranges, fed.digests(), fed.keys());
        }
    }

    static ConfigProblem problem(String pointer, String message, String expected) {
        return new ConfigProblem(new Location("pipeline", 0, 0), pointer, message, expected);
    }
}
