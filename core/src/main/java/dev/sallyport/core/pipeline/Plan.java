package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Destination;
import java.util.ArrayList;
import java.util.List;

/** The stages that may act on one destination, in order. Immutable. */
final class Plan {

    private final Stage[] stages;

    private Plan(Stage[] stages) {
        this.stages = stages;
    }

    /** The stages out of {@code all} that reach this destination. */
    static Plan of(List<Stage> all, Destination destination) {
        List<Stage> reaching = new ArrayList<>(all.size());
        for (Stage stage : all) {
            if (stage.reaches(destination)) {
                reaching.add(stage);
            }
        }
        return new Plan(reaching.toArray(Stage[]::new));
    }

    int size() {
        return stages.length;
    }

    Stage stage(int index) {
        return stages[index];
    }
}
