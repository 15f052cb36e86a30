package dev.sallyport.server.run.ask;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Destination;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Who is asked what, and how often: docs/run.md. */
class QuestionsTest {

    private final List<String> put = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Answer> replies = new LinkedBlockingQueue<>();
    private final Questions questions = new Questions((question, credentials) -> {
        put.add(question.text());
        return replies.take();
    });

    private static Question question(String method, String host, String path) {
        return new Question(method, Destination.named(host, 443, true), path);
    }

    private CompletableFuture<Answer> ask(String method, String host, String path) {
        return questions.ask(question(method, host, path), List.of());
    }

    @Test
    void requests_that_are_alike_share_a_question_and_its_answer() {
        CompletableFuture<Answer> first = ask("GET", "a.example.com", "/x");
        CompletableFuture<Answer> second = ask("GET", "a.example.com", "/x");
        replies.add(Answer.YES);

        assertThat(first.join().isYes()).isTrue();
        assertThat(second.join().isYes()).isTrue();
        assertThat(ask("GET", "a.example.com", "/x").join().isYes()).isTrue();
        assertThat(put).containsExactly("GET https://a.example.com/x");
    }

    @Test
    void yes_is_for_this_method_path_port_and_scheme() {
        replies.add(Answer.YES);
        ask("GET", "a.example.com", "/x").join();
        replies.addAll(List.of(Answer.YES, Answer.YES, Answer.YES, Answer.YES));

        ask("POST", "a.example.com", "/x").join();
        ask("GET", "a.example.com", "/x/").join();
        questions
                .ask(new Question("GET", Destination.named("a.example.com", 8443, true), "/x"), List.of())
                .join();
        questions
                .ask(new Question("GET", Destination.named("a.example.com", 80, false), "/x"), List.of())
                .join();

        assertThat(put)
                .containsExactly(
                        "GET https://a.example.com/x",
                        "POST https://a.example.com/x",
                        "GET https://a.example.com/x/",
                        "GET https://a.example.com:8443/x",
                        "GET http://a.example.com/x");
    }

    @Test
    void no_is_for_the_host_and_for_what_waits() {
        CompletableFuture<Answer> first = ask("GET", "a.example.com", "/x");
        CompletableFuture<Answer> waiting = ask("GET", "a.example.com", "/y");
        replies.add(Answer.no("no"));

        assertThat(first.join().kind()).isEqualTo(Answer.Kind.NO);
        assertThat(waiting.join().kind()).isEqualTo(Answer.Kind.NO);
        assertThat(questions.mayAllow(Destination.named("a.example.com", 443, true)))
                .isFalse();
        assertThat(questions.mayAllow(Destination.named("b.example.com", 443, true)))
                .isTrue();
        assertThat(put).hasSize(1);
    }

    @Test
    void few_wait_and_the_rest_is_not_asked() {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            answers.add(ask("GET", "a" + i + ".example.com", "/x"));
        }

        assertThat(answers.stream().filter(CompletableFuture::isDone))
                .hasSize(100 - 16)
                .allSatisfy(answer -> assertThat(answer.join().kind()).isEqualTo(Answer.Kind.NOT_ASKED));
        assertThat(questions.summary()).hasSizeLessThanOrEqualTo(51);
    }

    @Test
    void after_a_hundred_answers_nobody_is_asked() {
        for (int i = 0; i < 100; i++) {
            replies.add(Answer.YES);
            assertThat(ask("GET", "a.example.com", "/" + i).join().isYes()).isTrue();
        }

        assertThat(ask("GET", "a.example.com", "/more").join().kind()).isEqualTo(Answer.Kind.NOT_ASKED);
        assertThat(ask("GET", "a.example.com", "/7").join().isYes()).isTrue();
    }

    @Test
    void what_cannot_be_shown_whole_is_not_asked() {
        assertThat(ask("GET", "a.example.com", "/" + "x".repeat(500)).join().kind())
                .isEqualTo(Answer.Kind.NOT_ASKED);
        assertThat(put).isEmpty();
    }

    @Test
    void the_summary_obeys_nothing_that_the_program_sent() {
        replies.add(Answer.YES);
        ask("GET", "a.example.com", "/\u001b[2J\u202e").join();

        assertThat(questions.summary())
                .containsExactly(
                        "asked at the terminal:", "  let through  GET https://a.example.com/\\u001b[2J\\u202e");
    }
}
