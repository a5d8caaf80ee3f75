/**
 * The text of JSON: {@link io.loligo.server.json.JsonWriter}. It knows no other package; every
 * package may use it.
 */
@NullMarked
package io.loligo.server.json;

import org.jspecify.annotations.NullMarked;
