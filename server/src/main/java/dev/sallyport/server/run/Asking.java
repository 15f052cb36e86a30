package dev.sallyport.server.run;

import dev.sallyport.server.run.ask.Answer;
import dev.sallyport.server.run.ask.Question;
import dev.sallyport.server.run.ask.Questions;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.spi.Visibility;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks a person before the allowlist refuses, and knows which transforms add credentials, so that the question says so.
 * Thread-safe.
 */
final class Asking {

    private final Questions questions;

    /** In the order of the configuration, once transforms have been made. */
    private final List<Credentials> credentials;

    /** Those that stand before the allowlist which asks: the request may carry their values already. */
    private final List<Credentials> before;

    /** @param rules where they may be added; null for everywhere */
    private record Credentials(String name, @Nullable RuleSet rules) {

        boolean reach(Destination destination) {
            return rules == null || rules.reaches(destination);
        }
    }

    Asking(Questions questions) {
        this(questions, new CopyOnWriteArrayList<>(), List.of());
    }

    private Asking(Questions questions, List<Credentials> credentials, List<Credentials> before) {
        this.questions = questions;
        this.credentials = credentials;
        this.before = before;
    }

    /** For an allowlist that follows the transforms which have been made. */
    Asking here() {
        return new Asking(questions, credentials, List.copyOf(credentials));
    }

    /** The declaration of a transform that waits for a person. */
    static Capabilities patient(Capabilities of) {
        Capabilities.Builder patient = Capabilities.builder()
                .reads(of.reads().toArray(Part[]::new))
                .writes(of.writes().toArray(Part[]::new))
                .effects(of.effects().toArray(Effect[]::new))
                .scope(of.scope())
                .admits(of.admits())
                .deadline(Duration.ofSeconds(Questions.PATIENCE_SECONDS + 10));
        return patient.build();
    }

    /** A factory whose transforms are known to add credentials, if they do. */
    <C extends Record> TransformFactory<C> observing(TransformFactory<C> factory) {
        return new ForwardingFactory<>(factory) {
            @Override
            public Transform create(C config, BuildContext context) throws ConfigException {
                Capabilities declared = capabilities(config);
                if (declared.effects().contains(Effect.INJECTS_CREDENTIAL)
                        || declared.effects().contains(Effect.SIGNS)) {
                    boolean everywhere = declared.effectScope().isEmpty();
                    credentials.add(new Credentials(
                            context.instanceName(), everywhere ? null : context.rules(declared.effectScope())));
                }
                return super.create(config, context);
            }
        };
    }

    /** Whether requests to a destination that is refused may still be let through. */
    boolean mayAllow(Destination destination) {
        return questions.mayAllow(destination);
    }

    /** What is decided in the place of a refusal. */
    Decision instead(RequestContext context, Decision.Reject refusal) {
        Destination destination = context.destination();
        Question question = new Question(
                context.head().method(), destination, context.head().path());
        if (context.visibility() != Visibility.FULL) {
            return decision(context, refusal, questions.decline(question, "method and path are not visible"));
        }
        if (reaching(before, destination).findAny().isPresent()) {
            return decision(context, refusal, questions.decline(question, "credentials may be in the request already"));
        }
        List<String> names = reaching(credentials, destination)
                .map(Credentials::name)
                .distinct()
                .toList();
        return Decision.later(RequestStep.async(
                frozen -> questions.ask(question, names).thenApply(answer -> decision(frozen, refusal, answer))));
    }

    private static Stream<Credentials> reaching(List<Credentials> all, Destination destination) {
        return all.stream().filter(one -> one.reach(destination));
    }

    private static Decision decision(RequestContext context, Decision.Reject refusal, Answer answer) {
        if (answer.isYes()) {
            context.trace().annotate("asked", "let_through");
            return Decision.proceed();
        }
        String reason =
                answer.kind() == Answer.Kind.NOT_ASKED ? "Nobody was asked: " + answer.reason() + "." : answer.reason();
        context.trace().annotate("asked", answer.kind() == Answer.Kind.NOT_ASKED ? "nobody" : "refused");
        Decision.Reject explained = Decision.reject(refusal.status(), refusal.code(), refusal.detail() + ". " + reason);
        String position = refusal.position();
        return position == null ? explained : explained.at(position);
    }
}
