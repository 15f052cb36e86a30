package dev.sallyport.core.explain;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.core.config.RulePlaces;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What happened in one phase of a trial, transform by transform: the audit record that the transforms fill, and what it
 * does not say. Confined to the loop.
 */
final class TrialRecord {

    private final String phase;
    private final List<TransformEntry<?>> entries;
    private final IntFunction<RulePlaces> places;
    private final MutableAuditRecord record;
    private final IdentityHashMap<TransformTrace, List<Rule>> matched = new IdentityHashMap<>();
    private final IdentityHashMap<TransformTrace, List<MaskedEdit>> edits = new IdentityHashMap<>();

    /** @param places of the rules of each entry */
    TrialRecord(
            String phase, List<TransformEntry<?>> entries, IntFunction<RulePlaces> places, MutableAuditRecord record) {
        this.phase = phase;
        this.entries = entries;
        this.places = places;
        this.record = record;
    }

    MutableAuditRecord audit() {
        return record;
    }

    /** A rule of the transform that is being asked has matched. */
    void matched(Rule rule) {
        TransformTrace trace = last();
        if (trace != null) {
            List<Rule> rules = matched.computeIfAbsent(trace, key -> new ArrayList<>());
            if (rules.stream().noneMatch(known -> isSame(known, rule))) {
                rules.add(rule);
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // equal rules stand at different places
    private static boolean isSame(Rule one, Rule other) {
        return one == other;
    }

    /** The transform that is being asked changes something. */
    void edited(Edits by) {
        TransformTrace trace = last();
        if (trace != null) {
            edits.computeIfAbsent(trace, key -> new ArrayList<>()).addAll(MaskedEdit.of(by));
        }
    }

    /** Marks the transform that is being asked. */
    void mark(String action) {
        TransformTrace trace = last();
        if (trace != null) {
            trace.action(action);
        }
    }

    /**
     * Marks a transform that was asked, be it the last one or not.
     *
     * @param stages the stage of each entry in the record
     */
    void mark(String action, IntFunction<Stage> stages, Stage stage) {
        List<TransformTrace> traces = record.requestTraces();
        for (int i = 0; i < traces.size(); i++) {
            if (stages.apply(i).position() == stage.position()) {
                traces.get(i).action(action);
            }
        }
    }

    private @Nullable TransformTrace last() {
        List<TransformTrace> traces = record.requestTraces();
        return traces.isEmpty() ? null : traces.getLast();
    }

    /** @param stages the stage of each entry in the record */
    List<TransformOutcome> outcomes(IntFunction<Stage> stages, @Nullable Stage refusing, String position) {
        List<TransformOutcome> outcomes = new ArrayList<>();
        List<TransformTrace> traces = record.requestTraces();
        for (int i = 0; i < traces.size(); i++) {
            Stage stage = stages.apply(i);
            TransformTrace trace = traces.get(i);
            String named = refusing != null && stage.position() == refusing.position() ? position : "";
            outcomes.add(new TransformOutcome(
                    stage.name(),
                    stage.instance(),
                    phase,
                    trace.action(),
                    trace.error(),
                    entry(stage),
                    rules(stage, trace, named),
                    edits.getOrDefault(trace, List.of()),
                    trace.annotations()));
        }
        return outcomes;
    }

    /** Where a transform stands. */
    SourceLocation entry(Stage stage) {
        TransformEntry<?> entry = entries.get(stage.position());
        return SourceLocation.of(entry.at(), entry.pointer());
    }

    private List<SourceLocation> rules(Stage stage, TransformTrace trace, String position) {
        TransformEntry<?> entry = entries.get(stage.position());
        List<SourceLocation> found = new ArrayList<>();
        if (!position.isEmpty()) {
            found.add(place(entry, pointer(position)));
        }
        RulePlaces known = places.apply(stage.position());
        for (Rule rule : matched.getOrDefault(trace, List.of())) {
            String pointer = known.of(rule);
            if (pointer != null) {
                SourceLocation place = place(entry, pointer);
                if (!found.contains(place)) {
                    found.add(place);
                }
            }
        }
        return found;
    }

    private static SourceLocation place(TransformEntry<?> entry, String below) {
        return SourceLocation.of(entry.at(below), entry.pointer() + below);
    }

    /** The pointer of a position such as {@code secrets[0].rules[2]}. */
    private static String pointer(String position) {
        return "/" + position.replace("[", "/").replace("]", "").replace(".", "/");
    }
}
