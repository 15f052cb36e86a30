package dev.sallyport.sandboxd.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BatchesTest {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<List<String>> done = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private final Batches<String> batches = new Batches<>(
            all -> {
                begun.countDown();
                goOn.await();
                done.add(all);
                if (all.contains("bad")) {
                    Command.of("false").run();
                }
            },
            Duration.ofMillis(200));

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private Future<?> asked(String what) {
        return threads.submit(() -> {
            batches.add(what);
            return what;
        });
    }

    private void awaitAsked(int many) {
        Awaitility.await().until(() -> batches.waiting() == many);
    }

    @Test
    void whoDoesNotWaitIsDoneWithTheNextWhoDoes() throws Exception {
        Future<?> first = asked("first");
        begun.await();
        batches.askLater("second");
        Future<?> third = asked("third");
        awaitAsked(2);
        goOn.countDown();
        first.get();
        third.get();

        assertThat(done).containsExactly(List.of("first"), List.of("second", "third"));
    }

    @Test
    void thoseWhoDoNotWaitAreDoneTogetherAfterAPause() throws Exception {
        batches.askLater("first");
        batches.askLater("second");
        begun.await();
        batches.askLater("third");
        goOn.countDown();
        Awaitility.await().until(() -> done.size() == 2);

        assertThat(done).containsExactly(List.of("first", "second"), List.of("third"));
    }

    @Test
    void whatIsAskedForMeanwhileIsDoneNextAndTogether() throws Exception {
        Future<?> first = asked("first");
        begun.await();
        List<Future<?>> others = new ArrayList<>();
        for (String one : List.of("second", "third", "fourth")) {
            others.add(asked(one));
            awaitAsked(others.size());
        }

        goOn.countDown();
        first.get();
        for (Future<?> other : others) {
            other.get();
        }

        assertThat(done).containsExactly(List.of("first"), List.of("second", "third", "fourth"));
    }

    @Test
    void allOfABatchFailTogetherAndTheNextOneDoesNot() throws Exception {
        Future<?> first = asked("first");
        begun.await();
        Future<?> good = asked("good");
        awaitAsked(1);
        Future<?> bad = asked("bad");
        awaitAsked(2);

        goOn.countDown();

        first.get();
        for (Future<?> one : List.of(good, bad)) {
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(one::get)
                    .withCauseInstanceOf(CommandException.class)
                    .withMessageContaining("false ended with 1");
        }
        batches.add("later");
        assertThat(done.getLast()).containsExactly("later");
    }

    @Test
    void whoIsInterruptedNoLongerWaitsAndItIsDoneAllTheSame() throws Exception {
        asked("first");
        begun.await();
        Future<?> second = asked("second");
        awaitAsked(1);

        second.cancel(true);
        goOn.countDown();
        batches.add("third");

        assertThat(done.stream().flatMap(List::stream)).containsExactly("first", "second", "third");
    }
}
