package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Destination;
import java.util.ArrayList;
import java.util.List;

/** The stages that may act on one destination, in order. Immutable. */
final class MatchedStages {

    private final Stage[] stages;
    private final boolean byTarget;

    private MatchedStages(Stage[] stages, boolean byTarget) {
        this.stages = stages;
        this.byTarget = byTarget;
    }

    /** The stages out of {@code all} that match this destination. */
    static MatchedStages of(List<Stage> all, Destination destination) {
        List<Stage> reaching = new ArrayList<>(all.size());
        boolean byTarget = false;
        for (Stage stage : all) {
            if (stage.reaches(destination)) {
                reaching.add(stage);
                byTarget |= stage.decidesByTarget(destination);
            }
        }
        return new MatchedStages(reaching.toArray(Stage[]::new), byTarget);
    }

    /** Whether some rule decides by the method or path of a request. */
    boolean decideByTarget() {
        return byTarget;
    }

    int size() {
        return stages.length;
    }

    Stage stage(int index) {
        return stages[index];
    }
}
