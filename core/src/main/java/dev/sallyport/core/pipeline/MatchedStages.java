package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Destination;
import java.util.ArrayList;
import java.util.List;

/** The stages that may act on one destination, in order. Immutable. */
final class MatchedStages {

    private final Stage[] stages;

    private MatchedStages(Stage[] stages) {
        this.stages = stages;
    }

    /** The stages out of {@code all} that match this destination. */
    static MatchedStages of(List<Stage> all, Destination destination) {
        List<Stage> reaching = new ArrayList<>(all.size());
        for (Stage stage : all) {
            if (stage.reaches(destination)) {
                reaching.add(stage);
            }
        }
        return new MatchedStages(reaching.toArray(Stage[]::new));
    }

    int size() {
        return stages.length;
    }

    Stage stage(int index) {
        return stages[index];
    }
}
