package dev.sallyport.control.account;

import jakarta.mail.Authenticator;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.PasswordAuthentication;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends mail over SMTP, on a thread of its own. */
public final class SmtpMail implements Mail, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SmtpMail.class);
    private static final int WAITING = 1000;
    private static final String TIMEOUT_MILLIS = "10000";

    private final SmtpSettings settings;
    private final Duration patience;
    private final ThreadPoolExecutor worker;

    /** @param patience how long {@link #close} waits for what is queued */
    public SmtpMail(SmtpSettings settings, Duration patience) {
        this.settings = settings;
        this.patience = patience;
        worker = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING),
                Thread.ofPlatform().daemon().name("sallyport-control-mail").factory());
        worker.allowCoreThreadTimeOut(true);
    }

    @Override
    public void verification(String address, String link) {
        try {
            worker.execute(() -> send(address, link));
        } catch (RejectedExecutionException e) {
            LOG.warn("a mail to {} is not sent: too many wait", address);
        }
    }

    private void send(String address, String link) {
        try {
            MimeMessage message = new MimeMessage(session());
            message.setFrom(InternetAddress.parse(settings.from(), true)[0]);
            message.setRecipients(Message.RecipientType.TO, InternetAddress.parse(address, true));
            message.setSubject("Verify your e-mail address", StandardCharsets.UTF_8.name());
            message.setText(
                    "Open this link within 24 hours to verify your e-mail address:\n\n" + link
                            + "\n\nIf you did not sign up, ignore this mail.\n",
                    StandardCharsets.UTF_8.name());
            Transport.send(message);
        } catch (MessagingException e) {
            LOG.warn("a mail to {} was not sent: {}", address, e.toString());
        }
    }

    private jakarta.mail.Session session() {
        Properties properties = new Properties();
        properties.setProperty("mail.smtp.host", settings.host());
        properties.setProperty("mail.smtp.port", String.valueOf(settings.port()));
        properties.setProperty("mail.smtp.connectiontimeout", TIMEOUT_MILLIS);
        properties.setProperty("mail.smtp.timeout", TIMEOUT_MILLIS);
        properties.setProperty("mail.smtp.writetimeout", TIMEOUT_MILLIS);
        properties.setProperty("mail.smtp.starttls.enable", String.valueOf(settings.startTls()));
        properties.setProperty("mail.smtp.starttls.required", String.valueOf(settings.startTls()));
        properties.setProperty("mail.smtp.ssl.checkserveridentity", "true");
        String username = settings.username();
        if (username == null) {
            return jakarta.mail.Session.getInstance(properties);
        }
        properties.setProperty("mail.smtp.auth", "true");
        return jakarta.mail.Session.getInstance(properties, new Authenticator() {
            @Override
            protected PasswordAuthentication getPasswordAuthentication() {
                return new PasswordAuthentication(username, settings.password());
            }
        });
    }

    @Override
    public void close() {
        worker.shutdown();
        try {
            if (!worker.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("mails are not sent: {} wait", worker.shutdownNow().size());
            }
        } catch (InterruptedException e) {
            worker.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
