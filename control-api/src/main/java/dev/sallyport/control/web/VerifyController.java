package dev.sallyport.control.web;

import dev.sallyport.control.account.Users;
import dev.sallyport.control.api.ApiThreads;
import dev.sallyport.control.api.Requests;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.annotation.ExecuteOn;

/** The link of the mail that verifies an address. */
@Controller
@Produces(MediaType.ALL)
final class VerifyController {

    private final Users users;

    VerifyController(Users users) {
        this.users = users;
    }

    @Get("/verify")
    @ExecuteOn(ApiThreads.NAME)
    HttpResponse<?> verify(HttpRequest<?> request, @QueryValue(defaultValue = "") String token) {
        // Scanners of mail ask with HEAD.
        Users.Link link = request.getMethod() == HttpMethod.HEAD
                ? users.look(token)
                : users.verify(token, Requests.remoteAddress(request));
        return switch (link) {
            case FRESH -> Html.page(200, "Address verified", "<p>Your e-mail address is verified.</p>");
            case USED -> Html.page(200, "Address verified", "<p>Your e-mail address was already verified.</p>");
            case UNKNOWN ->
                Html.page(404, "Unknown link", "<p>This link is older than 24 hours, or never was one.</p>");
        };
    }
}
