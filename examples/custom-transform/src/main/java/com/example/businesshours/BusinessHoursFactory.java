package com.example.businesshours;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.LocalTime;
import java.time.ZoneId;

/** Refuses requests outside business hours. Found through {@code META-INF/services}. */
public final class BusinessHoursFactory implements TransformFactory<BusinessHoursConfig> {

    @Override
    public Descriptor<BusinessHoursConfig> descriptor() {
        return Descriptor.of("business_hours", BusinessHoursConfig.class, "Refuses requests outside business hours.");
    }

    /** Reports everything that the types of the record cannot express. */
    @Override
    public void validate(BusinessHoursConfig config, Problems problems) {
        time(config.from(), "/from", problems);
        time(config.to(), "/to", problems);
        try {
            ZoneId.of(config.zone());
        } catch (DateTimeException e) {
            problems.add("/zone", "not a time zone", "a zone such as Europe/Berlin");
        }
    }

    private static void time(String text, String pointer, Problems problems) {
        try {
            LocalTime.parse(text);
        } catch (DateTimeException e) {
            problems.add(pointer, "not a time of day", "a time such as 08:00");
        }
    }

    /** Judges by the head alone. The engine calls it only where a rule matches. */
    @Override
    public Capabilities capabilities(BusinessHoursConfig config) {
        return Capabilities.builder().scope(config.rules()).build();
    }

    @Override
    public Transform create(BusinessHoursConfig config, BuildContext context) throws ConfigException {
        LocalTime from = LocalTime.parse(config.from());
        LocalTime to = LocalTime.parse(config.to());
        Clock clock = context.clock().withZone(ZoneId.of(config.zone()));
        var rules = context.rules(config.rules());

        InlineTransform transform = request -> {
            LocalTime now = LocalTime.now(clock);
            boolean open = from.isBefore(to)
                    ? !now.isBefore(from) && now.isBefore(to)
                    : !now.isBefore(from) || now.isBefore(to); // over midnight
            int rule = rules.match(request);
            if (open || (!rules.isEmpty() && rule == RuleSet.NO_MATCH)) {
                return Decision.proceed();
            }
            request.trace().annotate("closed_until", config.from());
            Decision.Reject refusal =
                    Decision.reject(403, "outside_business_hours", "Come back during business hours.");
            return rule == RuleSet.NO_MATCH ? refusal : refusal.byRule(rule);
        };
        return transform;
    }
}
