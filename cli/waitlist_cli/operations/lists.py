"""Pauses, resumes, opens, closes and deletes waitlists."""

from dataclasses import replace
from typing import Any

from waitlist_cli.errors import FieldProblem, WrongUsage
from waitlist_cli.operations.action import Field, Inverse, ListAction, ListRequest
from waitlist_cli.operations.settings import change

LIST = "/{waitlist_id}"


def _change(
    name: str,
    body: dict[str, Any],
    *,
    undo: str,
    consequence: str,
    notice: str,
    summary: str = "",
) -> ListAction:
    """Create an action that changes a waitlist's settings.

    `undo` is the name of the action that reverses the change.
    """
    return ListAction(
        name=name,
        summary=summary,
        title=f"{name.capitalize()} {{who}}?",
        consequence=consequence,
        method="PATCH",
        path=LIST,
        body=body,
        carry_out=lambda request: (notice, change(request.api, request.waitlist_id, body)),
        inverse=lambda _: [Inverse(undo)],
    )


def _delete(request: ListRequest) -> tuple[str, Any]:
    if request.values["id"] != request.waitlist_id:
        message = f"To delete the list, type its id: {request.waitlist_id}"
        raise WrongUsage(message, fields=[FieldProblem("id", message)])
    request.api.operator("DELETE", f"/{request.waitlist_id}")
    return f"{request.waitlist_id} is deleted.", None


PAUSE = _change(
    "pause",
    {"paused": True},
    undo="resume",
    notice="The list is paused.",
    summary="Pause claims and offers.",
    consequence="Nobody is admitted or called until you resume the list. Customers can still "
    "sign up.",
)
RESUME = _change(
    "resume",
    {"paused": False},
    undo="pause",
    notice="The list admits people again.",
    consequence="People can be admitted again, by the admission policy or by operators.",
)
OPEN = _change(
    "open",
    {"open": True},
    undo="close",
    notice="The list is open.",
    summary="Open a waitlist.",
    consequence="Customers can sign up again.",
)
CLOSE = _change(
    "close",
    {"open": False},
    undo="open",
    notice="The list is closed.",
    summary="Close a waitlist for signups.",
    consequence="Nobody can sign up until you open the list again. People who are already on the "
    "list keep their place.",
)
DELETE = ListAction(
    name="delete",
    title="Delete {who} and all its entries?",
    consequence="The list and all its entries are deleted for good, including records and "
    "histories. To keep a copy, export the people first.",
    button="Delete for good",
    method="DELETE",
    path=LIST,
    is_daily=False,
    fields=(
        Field(
            "id",
            "Type the id to confirm",
            adapt=lambda field, waitlist, _: replace(
                field, label=f"Type {waitlist['waitlist_id']} to confirm", is_required=True
            ),
        ),
    ),
    is_final=True,
    is_deleting=True,
    carry_out=_delete,
)
