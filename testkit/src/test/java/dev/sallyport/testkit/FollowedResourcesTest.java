package dev.sallyport.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class FollowedResourcesTest {

    private final FollowedResources followed = new FollowedResources();
    private final ByteBuf buffer = Unpooled.EMPTY_BUFFER;

    private ResourceLeakTracker<ByteBuf> open() {
        ResourceLeakDetector<ByteBuf> detector = followed.newResourceLeakDetector(ByteBuf.class, 1);
        return Objects.requireNonNull(detector.trackForcibly(buffer));
    }

    @Test
    void buffersThatAreNotFollowedMayLeak() {
        assertThat(followed.mayLeak()).isTrue();
        assertThat(followed.anyOpen()).isTrue();

        followed.newResourceLeakDetector(Object.class, 1);

        assertThat(followed.mayLeak()).isTrue();
    }

    @Test
    void whatIsOpenMayLeakUntilItIsClosed() {
        ResourceLeakTracker<ByteBuf> tracker = open();
        assertThat(followed.mayLeak()).isTrue();
        assertThat(followed.anyOpen()).isTrue();

        assertThat(tracker.close(buffer)).isTrue();

        assertThat(followed.mayLeak()).isFalse();
        assertThat(followed.anyOpen()).isFalse();
    }

    @Test
    void whatWasOpenBeforeIsNoReasonToLookBeforeTheEnd() {
        open();

        followed.rememberOpen();

        assertThat(followed.mayLeak()).isFalse();
        assertThat(followed.anyOpen()).isTrue();
        open();
        assertThat(followed.mayLeak()).isTrue();
    }
}
