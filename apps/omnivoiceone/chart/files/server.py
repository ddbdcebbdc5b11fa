"""Serve OmniVoice behind the speech part of the OpenAI API, and voice cloning beside it.

One request at a time uses the model; others wait. Answers are WAV files.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import io
import tempfile
import threading
from typing import Annotated, Any

import soundfile
import torch
import uvicorn
from fastapi import Depends, FastAPI, File, Form, HTTPException, UploadFile
from fastapi.responses import Response
from omnivoice import OmniVoice
from pydantic import BaseModel, Field

LONGEST_TEXT = 20_000
LARGEST_RECORDING = 50 * 1024 * 1024
NAME = "omnivoice"


class Wishes(BaseModel):
    """What a speaker may be asked for besides the text."""

    language_id: str | None = Field(default=None, description="Name or code, such as English or en.")
    instruct: str | None = Field(default=None, description="The voice in words, such as: female, low pitch.")
    num_step: int = Field(default=32, ge=1, le=128, description="Decoding steps.")
    speed: float | None = Field(default=None, ge=0.25, le=4.0)
    duration: float | None = Field(default=None, gt=0, le=600, description="Seconds; wins over speed.")


class SpeechRequest(Wishes):
    """The body of /v1/audio/speech: OpenAI's fields and those of OmniVoice."""

    input: str = Field(min_length=1, max_length=LONGEST_TEXT)
    model: str = NAME
    voice: str | None = None
    response_format: str = "wav"
    ref_audio_b64: str | None = None
    ref_text: str | None = None


class Voice:
    """The model and the lock that lets one request at a time use it."""

    def __init__(self, folder: str) -> None:
        self._lock = threading.Lock()
        self._model = OmniVoice.from_pretrained(folder, device_map="cuda:0", dtype=torch.float16)

    def languages(self) -> list[str]:
        """Codes of the languages that the model knows."""
        return sorted(self._model.supported_language_ids())

    def speak(self, text: str, wishes: Wishes, recording: bytes | None = None, said: str | None = None) -> bytes:
        """The text as a WAV file, in the voice of a recording where there is one."""
        options: dict[str, Any] = wishes.model_dump(include={"instruct", "num_step", "speed", "duration"})
        options["language"] = wishes.language_id
        with tempfile.NamedTemporaryFile(suffix=".audio") as file, self._lock:
            if recording is not None:
                file.write(recording)
                file.flush()
                options |= {"ref_audio": file.name, "ref_text": said}
            (wave,) = self._model.generate(text=text, **options)
        answer = io.BytesIO()
        soundfile.write(answer, wave, self._model.sampling_rate, format="WAV")
        return answer.getvalue()


def form(
    language_id: Annotated[str | None, Form()] = None,
    instruct: Annotated[str | None, Form()] = None,
    num_step: Annotated[int, Form(ge=1, le=128)] = 32,
    speed: Annotated[float | None, Form(ge=0.25, le=4.0)] = None,
    duration: Annotated[float | None, Form(gt=0, le=600)] = None,
) -> Wishes:
    """The wishes as fields of a form."""
    return Wishes(language_id=language_id, instruct=instruct, num_step=num_step, speed=speed, duration=duration)


def checked(recording: bytes, said: str | None) -> bytes:
    """The recording, if it is one and somebody wrote down what is said in it."""
    if not said:
        raise HTTPException(400, "ref_text is missing: write down what is said in the recording")
    if len(recording) > LARGEST_RECORDING:
        raise HTTPException(413, f"the recording is larger than {LARGEST_RECORDING} bytes")
    try:
        soundfile.info(io.BytesIO(recording))
    except soundfile.LibsndfileError:
        raise HTTPException(400, "the recording is no WAV, FLAC, OGG or MP3 file that can be read") from None
    return recording


def application(voice: Voice) -> FastAPI:
    """The routes. They are plain functions, so that each runs in a thread and /health always answers."""
    app = FastAPI(title="OmniVoice")

    def answer(text: str, wishes: Wishes, recording: bytes | None = None, said: str | None = None) -> Response:
        try:
            return Response(voice.speak(text, wishes, recording, said), media_type="audio/wav")
        except ValueError as error:
            raise HTTPException(400, str(error)) from None

    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/v1/models")
    def models() -> dict[str, Any]:
        return {"object": "list", "data": [{"id": NAME, "object": "model", "owned_by": "k2-fsa"}]}

    @app.get("/v1/languages")
    def languages() -> dict[str, list[str]]:
        return {"languages": voice.languages()}

    @app.post("/v1/audio/speech")
    def speech(request: SpeechRequest) -> Response:
        if request.response_format != "wav":
            raise HTTPException(400, "response_format can only be wav")
        recording = None
        if request.ref_audio_b64 is not None:
            try:
                recording = base64.b64decode(request.ref_audio_b64, validate=True)
            except binascii.Error:
                raise HTTPException(400, "ref_audio_b64 is not base64") from None
            recording = checked(recording, request.ref_text)
        return answer(request.input, request, recording, request.ref_text)

    @app.post("/v1/audio/clone")
    def clone(
        text: Annotated[str, Form(min_length=1, max_length=LONGEST_TEXT)],
        ref_text: Annotated[str, Form()],
        ref_audio: Annotated[UploadFile, File()],
        wishes: Annotated[Wishes, Depends(form)],
    ) -> Response:
        return answer(text, wishes, checked(ref_audio.file.read(LARGEST_RECORDING + 1), ref_text), ref_text)

    return app


def main() -> None:
    """Load the model, then serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="Folder of the model.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    uvicorn.run(application(Voice(options.model)), host=options.host, port=options.port)


if __name__ == "__main__":
    main()
