/**
 * A subset of Go's {@code text/template}, for formatting credentials and composing messages to sign.
 *
 * <p>Text outside {@code {{ }}} is written as it is. Inside stand fields ({@code .Value}, {@code .Credentials.name},
 * {@code index .Credentials "a-b"}), strings (quoted or in back quotes), integers, {@code true} and {@code false},
 * calls ({@code printf}, {@code len}, {@code eq}, {@code ne}, {@code and}, {@code or}, {@code not}, {@code base64},
 * {@code index}), pipelines, parentheses, {@code if}, {@code else if}, {@code else} and {@code end}, comments and trim
 * markers. They mean what they mean in Go, except that texts are bytes throughout, and that what Go finds out while it
 * renders (a missing field, a wrong kind, a wrong number of arguments) is found out when the template is compiled:
 * rendering cannot fail.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.template.TemplateSchema}: which fields there are
 *   <li>{@link dev.sallyport.toolkit.template.Template}: compile once, render often
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.template;

import org.jspecify.annotations.NullMarked;
