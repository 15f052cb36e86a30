package dev.sallyport.core.secret;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** A source whose answers a test writes down beforehand; the last one is repeated. */
final class ScriptedSources implements SecretSourceFactory<ScriptedSources.Config> {

    record Config(String name, Duration ttl) {}

    interface Answer {
        String get() throws SecretException, InterruptedException;
    }

    final Deque<Answer> answers = new ArrayDeque<>();
    int created;
    int reads;
    int closed;
    boolean refuseToCreate;
    Runnable whenCreated = () -> {};

    ScriptedSources answer(String value) {
        answers.add(() -> value);
        return this;
    }

    ScriptedSources fail(String message) {
        answers.add(() -> {
            throw new SecretException(message);
        });
        return this;
    }

    @Override
    public Descriptor<Config> descriptor() {
        return Descriptor.of("scripted", Config.class, "For tests.");
    }

    @Override
    public SecretSource create(Config config, SourceContext context) throws ConfigException {
        if (refuseToCreate) {
            throw new ConfigException("/name", "no such vault", "a vault");
        }
        whenCreated.run();
        created++;
        return new SecretSource() {
            @Override
            public String name() {
                return config.name();
            }

            @Override
            public SecretValue read() throws SecretException, InterruptedException {
                reads++;
                Answer answer = answers.size() > 1 ? answers.remove() : answers.element();
                return SecretValue.of(answer.get());
            }

            @Override
            public void close() {
                closed++;
            }
        };
    }
}
