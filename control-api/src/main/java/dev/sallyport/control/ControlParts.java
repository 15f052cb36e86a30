package dev.sallyport.control;

import dev.sallyport.control.account.AccountSettings;
import dev.sallyport.control.account.Mail;
import dev.sallyport.control.api.Deployment;
import dev.sallyport.control.api.RateLimits;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.crypto.Passwords;
import dev.sallyport.control.feed.EmbeddedDoor;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.store.Store;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Clock;

/** What is made from the configuration, before the services are. */
record ControlParts(
        Store store,
        EncryptionKey key,
        Envelope envelope,
        Passwords passwords,
        Mail mail,
        AccountSettings accounts,
        RateLimits.Rates rates,
        Deployment deployment,
        EmbeddedDoor embedded,
        SandboxParts sandboxes,
        OpenTelemetry telemetry,
        Clock clock,
        Ids ids) {}
