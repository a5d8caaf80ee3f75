/** Parents: which of them a request is sent to, and which of them are alive. */
package io.loligo.server.peer;
