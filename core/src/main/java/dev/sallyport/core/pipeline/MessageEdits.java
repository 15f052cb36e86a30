package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Part;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The rewriters of WebSocket messages that transforms have asked for. Allocates nothing while it is empty. Read only
 * when an exchange switches protocols.
 *
 */
public final class MessageEdits {

    private record Wanted(Stage stage, Edit.RewriteMessages edit) {}

    private List<Wanted> wanted = List.of();
    private List<Edit.RewriteMessages> nextToOrigin = List.of();

    void add(Stage stage, Edit.RewriteMessages edit) {
        HeadEditor.checkSensitive(stage, edit);
        HeadEditor.require(stage, Part.MESSAGES);
        if (wanted.isEmpty()) {
            wanted = new ArrayList<>(2);
        }
        wanted.add(new Wanted(stage, edit));
    }

    /** Sets what the engine does to messages of the upstream before any transform does. */
    public void nextToOrigin(List<Edit.RewriteMessages> rewriters) {
        nextToOrigin = List.copyOf(rewriters);
    }

    /** What the engine does to messages of the upstream before any transform does. */
    public List<Edit.RewriteMessages> nextToOrigin() {
        return nextToOrigin;
    }

    /** Removes what transforms from this position on have asked for. */
    void dropFrom(int position) {
        if (!wanted.isEmpty()) {
            wanted.removeIf(entry -> entry.stage().position() >= position);
        }
    }

    /** Whether there are no rewriters. */
    public boolean isEmpty() {
        return wanted.isEmpty() && nextToOrigin.isEmpty();
    }

    /**
     * The rewriters in the order in which they apply: list order for messages of the client, reverse order for those of
     * the upstream. Transforms that disclose content stand on the workload's side of all others, where there are no
     * credentials.
     */
    public List<Edit.RewriteMessages> rewriters(Direction direction) {
        Comparator<Wanted> towardsUpstream = Comparator.comparing(
                        (Wanted entry) -> !entry.stage().masked())
                .thenComparingInt(entry -> entry.stage().position());
        Stream<Edit.RewriteMessages> ofTransforms = wanted.stream()
                .filter(entry -> entry.edit().direction() == direction)
                .sorted(direction == Direction.REQUEST ? towardsUpstream : towardsUpstream.reversed())
                .map(Wanted::edit);
        return (direction == Direction.REQUEST ? ofTransforms : Stream.concat(nextToOrigin.stream(), ofTransforms))
                .toList();
    }

    /** As {@link #rewriters(Direction)}. */
    public List<Edit.RewriteMessages> rewriters(boolean fromClient) {
        return rewriters(fromClient ? Direction.REQUEST : Direction.RESPONSE);
    }
}
